// The pictures of a sweep: options of ECharts.
import { HeatmapChart, LineChart, ParallelChart, ScatterChart } from 'echarts/charts';
import { AriaComponent, GridComponent, LegendComponent, ParallelComponent, TooltipComponent, VisualMapComponent } from 'echarts/components';
import { init, use, type ECharts, type EChartsCoreOption } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { themed } from '../colour';
import { categories, cell, heat, label, paretoFront, shown, withNumbers, type Results } from './results';

use([HeatmapChart, LineChart, ParallelChart, ScatterChart, AriaComponent, GridComponent, LegendComponent, ParallelComponent, TooltipComponent, VisualMapComponent, CanvasRenderer]);

/** A colour scale that colour-blind readers can tell apart (viridis). */
const scale = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'];

export interface Chart {
  view: ECharts;
  /** Row of a clicked element. */
  row: (params: { data?: unknown; dataIndex?: number }) => number | undefined;
}

function base(): EChartsCoreOption {
  return { animation: false, textStyle: { color: themed('--fore'), fontFamily: 'inherit' }, aria: { enabled: true } };
}

function axis(name: string): object {
  const line = { lineStyle: { color: themed('--line') } };
  return {
    name: label(name), nameLocation: 'middle', nameGap: 30, scale: true, nameTextStyle: { color: themed('--fore') },
    axisLabel: { color: themed('--soft') }, axisLine: line, splitLine: line,
  };
}

function facts(results: Results, row: number): string {
  const text = (value: string): string => value.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  return [...results.axes, ...results.measures].map((name) => `${text(label(name))}: <b>${text(shown(cell(results, name, row)))}</b>`).join('<br>');
}

export function mount(place: HTMLElement): ECharts {
  const view = init(place);
  new ResizeObserver(() => view.resize()).observe(place);
  return view;
}

export function drawScatter(view: ECharts, results: Results, rows: number[], x: string, y: string, colour: string): Chart {
  const usable = withNumbers(results, rows, [x, y]);
  const front = paretoFront(results, rows, x, y);
  const point = (row: number): (number | string)[] => [Number(cell(results, x, row)), Number(cell(results, y, row)), row, Number(cell(results, colour, row))];
  const numbers = withNumbers(results, usable, [colour]).map((row) => Number(cell(results, colour, row)));
  view.setOption({
    ...base(), grid: { left: 90, right: 110, top: 20, bottom: 50 }, xAxis: { type: 'value', ...axis(x) },
    yAxis: { type: 'value', ...axis(y), nameGap: 70 },
    tooltip: { formatter: (p: { data: number[] }) => facts(results, Number(p.data[2])) },
    visualMap: numbers.length > 1
      ? { type: 'continuous', dimension: 3, seriesIndex: 0, min: Math.min(...numbers), max: Math.max(...numbers), right: 0, top: 'middle', text: [label(colour), ''], textStyle: { color: themed('--fore') }, inRange: { color: scale } }
      : undefined,
    series: [
      { name: 'points', type: 'scatter', symbolSize: 8, data: usable.map(point) },
      { name: 'Pareto front', type: 'line', step: false, symbol: 'diamond', symbolSize: 11, data: front.map(point), lineStyle: { color: themed('--bad') }, itemStyle: { color: themed('--bad') } },
    ],
  }, true);
  return { view, row: (p) => (Array.isArray(p.data) ? Number(p.data[2]) : undefined) };
}

export function drawParallel(view: ECharts, results: Results, rows: number[], columns: string[], colour: string): Chart {
  const kinds = columns.map((column) => {
    const values = categories(results, column, rows);
    return values.every((value) => value === null || typeof value === 'number') ? null : values.map((value) => shown(value));
  });
  const numbers = withNumbers(results, rows, [colour]).map((row) => Number(cell(results, colour, row)));
  const value = (column: string, at: number, row: number): Cell2 => {
    const given = cell(results, column, row);
    return kinds[at] ? shown(given) : given === null ? '-' : Number(given);
  };
  view.setOption({
    ...base(), tooltip: { formatter: (p: { dataIndex: number }) => facts(results, rows[p.dataIndex] ?? 0) },
    parallel: { left: 60, right: 120, top: 50, bottom: 30, parallelAxisDefault: { nameTextStyle: { color: themed('--fore') }, axisLabel: { color: themed('--soft') }, scale: true } },
    parallelAxis: columns.map((column, dim) => ({ dim, name: label(column), ...(kinds[dim] ? { type: 'category', data: kinds[dim] } : {}) })),
    visualMap: numbers.length > 1
      ? { type: 'continuous', dimension: columns.length, min: Math.min(...numbers), max: Math.max(...numbers), right: 0, top: 'middle', text: [label(colour), ''], textStyle: { color: themed('--fore') }, inRange: { color: scale } }
      : undefined,
    series: [{ type: 'parallel', lineStyle: { width: 1.5, opacity: 0.6 }, data: rows.map((row) => [...columns.map((column, at) => value(column, at, row)), Number(cell(results, colour, row))]) }],
  }, true);
  return { view, row: (p) => (p.dataIndex === undefined ? undefined : rows[p.dataIndex]) };
}
type Cell2 = number | string;

export function drawHeat(view: ECharts, results: Results, rows: number[], x: string, y: string, measure: string): Chart {
  const data = heat(results, rows, x, y, measure);
  const values = data.map(([, , value]) => value);
  view.setOption({
    ...base(), grid: { left: 110, right: 110, top: 20, bottom: 60 },
    xAxis: { type: 'category', data: categories(results, x, rows).map(shown), ...axis(x) },
    yAxis: { type: 'category', data: categories(results, y, rows).map(shown), ...axis(y), nameGap: 80 },
    tooltip: { formatter: (p: { data: number[] }) => facts(results, Number(p.data[3])) },
    visualMap: { type: 'continuous', dimension: 2, min: Math.min(...values), max: Math.max(...values), right: 0, top: 'middle', text: [label(measure), ''], textStyle: { color: themed('--fore') }, inRange: { color: scale } },
    series: [{ type: 'heatmap', data, label: { show: data.length <= 200, formatter: (p: { data: number[] }) => shown(Number(p.data[2])) } }],
  }, true);
  return { view, row: (p) => (Array.isArray(p.data) ? Number(p.data[3]) : undefined) };
}
