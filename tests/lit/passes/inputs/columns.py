"""columns.py ROWS AT...: a model that puts operands of 32 columns side by side, operand k from column AT[k] on."""
import sys

rows, places = sys.argv[1], [int(at) for at in sys.argv[2:]]
width = max(places) + 32
terms = []
for k, at in enumerate(places):
    matrix = ", ".join("1" if r == at + c else "0" for r in range(width) for c in range(32))
    print(f"%x{k} = input : f32[{rows}, 32]\n%c{k} = constant [{matrix}] : f32[{width}, 32]")
    print(f"%e{k} = exp %x{k}\n%p{k} = map_axis %e{k}, %c{k} {{axis = 1}}")
    terms.append(f"%p{k}")
while len(terms) > 1:
    print(f"%s{len(terms)} = add {terms[0]}, {terms[1]}")
    terms[:2] = [f"%s{len(terms)}"]
print(f'%y = relu {terms[0]}\noutput "y" = %y')
