"""Builds a graph in text form, value by value. Weights are constants of one value: time does not depend on them."""


class Text:
    def __init__(self):
        self.lines = []
        self.count = 0
        self.outputs = 0

    def add(self, op, *operands, attrs=""):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {op} {', '.join(operands)}" + (f" {{{attrs}}}" if attrs else ""))
        return name

    def numbers(self, values, dims, dtype="f32"):
        self.count += 1
        name = f"%v{self.count}"
        listed = ", ".join(map(str, values))
        self.lines.append(f"{name} = constant [{listed}] : {dtype}[{', '.join(map(str, dims))}]")
        return name

    def constant(self, value, *dims):
        return self.numbers([value], dims)

    def input(self, name, *dims):
        self.lines.append(f"%{name} = input : f32[{', '.join(map(str, dims))}]")
        return "%" + name

    def output(self, value):
        self.outputs += 1
        self.lines.append(f'output "y{self.outputs}" = {value}')

    def finish(self, value=None):
        if value:
            self.output(value)
        return "\n".join(self.lines) + "\n"
