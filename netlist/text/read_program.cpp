// Reads the section programs of a netlist.
#include <set>

#include "netlist/text/read_parts.hpp"

namespace ttsim::impl::reading {

namespace {

template <std::optional<Operand> QueueSetting::*member>
void read_boolean(Context& ctx, const YamlNode& node, QueueSetting& into) {
    into.*member = operand(ctx, node, ctx.field, true);
}
template <std::optional<Operand> QueueSetting::*member>
void read_pointer(Context& ctx, const YamlNode& node, QueueSetting& into) {
    into.*member = operand(ctx, node, ctx.field, false);
}

const Field<QueueSetting> setting_fields[] = {
    {"prologue", read_boolean<&QueueSetting::prologue>},
    {"epilogue", read_boolean<&QueueSetting::epilogue>},
    {"zero", read_boolean<&QueueSetting::zero>},
    {"read_only", read_boolean<&QueueSetting::read_only>},
    {"rd_ptr_local", read_pointer<&QueueSetting::rd_ptr_local>},
    {"rd_ptr_global", read_pointer<&QueueSetting::rd_ptr_global>},
    {"wr_ptr_global", read_pointer<&QueueSetting::wr_ptr_global>},
    {"rd_ptr_autoinc", read_pointer<&QueueSetting::rd_ptr_autoinc>},
    {"global_rdptr_autoinc", read_pointer<&QueueSetting::global_rdptr_autoinc>},
    {"global_wrptr_autoinc", read_pointer<&QueueSetting::global_wrptr_autoinc>},
};

void read_settings(Context& ctx, const YamlNode& node, Instruction& into) {
    if (is_none(node) || !ctx.is_map(node, "'queue_settings'")) return;
    for (const auto& [key, value] : node.entries) {
        QueueSetting setting;
        setting.queue = key->scalar;
        setting.loc = ctx.at(*key);
        // The last settings of a repeated queue win.
        std::erase_if(into.settings, [&](const QueueSetting& earlier) { return earlier.queue == setting.queue; });
        read_fields(ctx, setting.loc, *value, fmt::format("the entry of queue '{}' in queue_settings", key->scalar),
                    setting_fields, setting);
        into.settings.push_back(std::move(setting));
    }
}

const Field<Instruction> execute_fields[] = {
    {"graph_name", [](Context& c, const YamlNode& n, Instruction& i) { i.graph = text(c, n, "graph_name"); }, true},
    {"queue_settings", read_settings},
};

std::string variable_name(const Context& ctx, const YamlNode& node, std::string_view what) {
    const std::string name = text(ctx, node, what);
    if (name.size() < 2 || name.front() != '$')
        fail_input(ctx.at(node), "'{}' names {}; a variable begins with $", what, quoted_node(node));
    return name;
}

/// Variables of var, staticvar and param: a list of names (value 0) or a map of names and values.
void read_variables(Context& ctx, const YamlNode& node, std::string_view what, Instruction& into) {
    if (node.is_map()) {
        for (const auto& [key, value] : node.entries)
            into.variables.emplace_back(variable_name(ctx, *key, what), operand(ctx, *value, key->scalar, false));
        return;
    }
    if (node.is_null()) return;
    if (!node.is_sequence())
        fail_input(ctx.at(node), "'{}' is {}; a list or map of variables is wanted", what, quoted_node(node));
    for (const YamlPtr& item : node.items)
        if (item->is_map())
            read_variables(ctx, *item, what, into);
        else
            into.variables.emplace_back(variable_name(ctx, *item, what), Operand{});
}

void read_varinst(Context& ctx, const YamlNode& node, Instruction& into) {
    if (!node.is_sequence() || node.items.size() < 3)
        fail_input(ctx.at(node), "'varinst' is {}; [$variable, operation, operand, ...] is wanted",
                   node.is_sequence() ? fmt::format("a list of {}", node.items.size()) : quoted_node(node));
    into.out = variable_name(ctx, *node.items[0], "varinst");
    into.op = choice(ctx, *node.items[1], "varinst", {"set", "add", "mul", "inc", "incwrap"});
    for (std::size_t k = 2; k < node.items.size(); ++k)
        into.operands.push_back(operand(ctx, *node.items[k], "varinst", false));
    const std::size_t wanted = into.op == "set" || into.op == "inc" ? 1 : 2;
    if (into.operands.size() != wanted)
        fail_input(ctx.at(node), "'varinst' {} takes {} operand{}, not {}", into.op, wanted, wanted == 1 ? "" : "s",
                   into.operands.size());
}

void read_loop(Context& ctx, const YamlNode& node, Instruction& into) {
    const Operand count = operand(ctx, node, "loop", false);
    if (count.variable.empty() && count.literal < 1)
        fail_input(ctx.at(node), "'loop' runs {} times; it must run at least once", count.literal);
    into.operands = {count};
}

struct Keyword {
    std::string_view name;
    Instruction::Kind kind;
    void (*read)(Context&, const YamlNode&, Instruction&);
};
void read_nothing(Context& ctx, const YamlNode& node, Instruction&) {
    if (!is_none(node))
        fail_input(ctx.at(node), "{} is not allowed here; this instruction has no operands", quoted_node(node));
}
const Keyword keywords[] = {
    {"param", Instruction::Kind::Param,
     [](Context& c, const YamlNode& n, Instruction& i) { read_variables(c, n, "param", i); }},
    {"var", Instruction::Kind::Var,
     [](Context& c, const YamlNode& n, Instruction& i) { read_variables(c, n, "var", i); }},
    {"staticvar", Instruction::Kind::StaticVar,
     [](Context& c, const YamlNode& n, Instruction& i) { read_variables(c, n, "staticvar", i); }},
    {"varinst", Instruction::Kind::VarInst, read_varinst},
    {"loop", Instruction::Kind::Loop, read_loop},
    {"endloop", Instruction::Kind::EndLoop, read_nothing},
    {"execute", Instruction::Kind::Execute,
     [](Context& c, const YamlNode& n, Instruction& i) { read_fields(c, i.loc, n, "'execute'", execute_fields, i); }},
    {"allocate_queue", Instruction::Kind::Allocate,
     [](Context& c, const YamlNode& n, Instruction& i) { i.queues = text_list(c, n, "allocate_queue"); }},
    {"deallocate_queue", Instruction::Kind::Deallocate,
     [](Context& c, const YamlNode& n, Instruction& i) { i.queues = text_list(c, n, "deallocate_queue"); }},
    {"endprogram", Instruction::Kind::EndProgram, read_nothing},
};

void read_instruction(Context& ctx, const YamlNode& key, const YamlNode& value, Program& into) {
    const std::string name = text(ctx, key, "instruction");
    const auto keyword =
        std::find_if(std::begin(keywords), std::end(keywords), [&](const Keyword& k) { return k.name == name; });
    if (keyword == std::end(keywords)) {
        std::vector<std::string> known;
        for (const Keyword& k : keywords) known.emplace_back(k.name);
        fail_input(ctx.at(key), "program '{}' has an unknown instruction '{}'{}", into.name, name,
                   did_you_mean(name, known));
    }
    Instruction instruction;
    instruction.kind = keyword->kind;
    instruction.loc = ctx.at(key);
    keyword->read(ctx, value, instruction);
    into.instructions.push_back(std::move(instruction));
}

void read_program(Context& ctx, const YamlNode& key, const YamlNode& body, std::set<std::string>& names,
                  Netlist& into) {
    static const YamlNode nothing;
    Program program;
    program.name = key.scalar;
    program.loc = ctx.at(key);
    if (!names.insert(program.name).second)
        ctx.problems.error(program.loc, "program '{}' is defined twice", program.name);
    if (!body.is_null() && !ctx.is_list(body, "program '" + program.name + "'")) return;
    for (const YamlPtr& item : body.items)
        ctx.attempt([&] {
            if (item->is_scalar()) return read_instruction(ctx, *item, nothing, program);
            if (!item->is_map() || item->entries.size() != 1)
                fail_input(ctx.at(*item), "an instruction is {}; a word or a map of one is wanted",
                           item->is_map() ? fmt::format("a map of {}", item->entries.size()) : quoted_node(*item));
            read_instruction(ctx, *item->entries[0].first, *item->entries[0].second, program);
        });
    into.programs.push_back(std::move(program));
}

}  // namespace

void read_programs(Context& ctx, const YamlNode& node, Netlist& into) {
    if (node.is_null()) return;
    std::set<std::string> names;
    for (const Program& program : into.programs) names.insert(program.name);
    const auto each = [&](const YamlNode& map) {
        if (!ctx.is_map(map, "an element of 'programs'")) return;
        for (const auto& [key, body] : map.entries) read_program(ctx, *key, *body, names, into);
    };
    if (node.is_map()) return each(node);
    if (!ctx.is_list(node, "'programs'")) return;
    for (const YamlPtr& item : node.items) each(*item);
}

}  // namespace ttsim::impl::reading
