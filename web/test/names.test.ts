import { describe, expect, it } from 'vitest';
import { Names } from '../src/names';

const layers = [0, 1, 2].flatMap((stage) => [0, 1].flatMap((layer) => ['Conv', 'Conv_sparse', 'Conv_add'].map((end) => `_m_resnet_encoder_stages_${stage}_layers_${layer}_convolution_${end}`)));
const within = (letters: number) => (text: string) => text.length <= letters;

describe('short names', () => {
  const names = new Names(layers);
  it('are whole where they fit', () => { expect(names.short(layers[0] ?? '', within(80))).toBe(layers[0]); });
  it('lose leading pieces that all have', () => {
    expect(names.short(layers[1] ?? '', within(38))).toBe('\u20260_layers_0_convolution_Conv_sparse');
    expect(names.short(layers[1] ?? '', within(40))).toBe('\u2026stag\u20260_layers_0_convolution_Conv_sparse');
  });
  it('differ while all that tells them apart fits', () => {
    const short = layers.map((name) => names.short(name, within(14)));
    expect(new Set(short).size).toBe(layers.length);
    expect(short[1]).toBe('\u20260\u20260\u2026sparse');
  });
  it('keep what tells most in a small room', () => { expect([8, 5].map((letters) => names.short(layers[1] ?? '', within(letters)))).toEqual(['\u2026sparse', '\u2026s\u2026se']); });
  it('vanish in no room', () => { expect(names.short(layers[1] ?? '', within(2))).toBe(''); });
  it('of other reports are cut in the middle', () => { expect(new Names([]).short('attention_output_projection', within(11))).toBe('atten\u2026ction'); });
});
