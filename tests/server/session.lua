-- What `test_neovim.py` has Neovim do: it prints what the editor knows, a JSON value in each line.

local given = vim.fn.json_decode(os.getenv("WARPLINT_TEST"))
vim.opt.runtimepath:append(given.runtime)
vim.cmd("filetype on")
package.path = given.runtime .. "/?.lua;" .. package.path
require("warplint").setup({ debounce = 10 }, given.command)
vim.cmd("edit " .. given.file)

local function say(what, value)
  io.stdout:write(vim.fn.json_encode({ what, value }) .. "\n")
end

local function found()
  local codes = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    local code = each.code or (each.user_data and each.user_data.lsp and each.user_data.lsp.code)
    table.insert(codes, { each.lnum, each.col, code or "" })
  end
  return codes
end

local published = 0
local shown = vim.lsp.handlers["textDocument/publishDiagnostics"]
vim.lsp.handlers["textDocument/publishDiagnostics"] = function(...)
  shown(...)
  local params = select(2, ...)
  local versions = vim.lsp.util.buf_versions
  local tick = versions and versions[vim.api.nvim_get_current_buf()] or vim.b.changedtick
  if params.version == nil or params.version == tick then
    published = published + 1
  end
end

local function settle(seen)
  return vim.wait(60000, function() return published > seen end, 10)
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

settle(0)
say("first", found())

local function beside()
  local space = vim.api.nvim_get_namespaces()["warplint_hints"]
  local texts = {}
  for _, mark in ipairs(space and vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }) or {}) do
    table.insert(texts, { mark[2], mark[4].virt_text[1][1] })
  end
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    table.insert(texts, { lens.range.start.line, lens.command.title })
  end
  return texts
end

vim.wait(10000, function() return #beside() > 1 end, 10)
say("beside", beside())
say("draws", vim.lsp.inlay_hint ~= nil)

if given.hover then
  vim.api.nvim_win_set_cursor(0, { given.hover[1], given.hover[2] })
  say("hover", ask("textDocument/hover", vim.lsp.util.make_position_params()).contents.value)
end

if given.fix then
  vim.api.nvim_win_set_cursor(0, { given.fix[1], given.fix[2] })
end
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
for _, action in ipairs(given.fix and ask("textDocument/codeAction", params) or {}) do
  if action.title:match("^Fix all") then
    local seen = published
    local edit = action.edit or ask("codeAction/resolve", action).edit
    vim.lsp.util.apply_workspace_edit(edit, "utf-16")
    settle(seen)
    say("fixed", found())
    break
  end
end

for _, edit in ipairs(given.edits) do
  local line = math.min(edit[1], vim.api.nvim_buf_line_count(0) - 1)
  local text = vim.api.nvim_buf_get_lines(0, line, line + 1, true)[1]
  local from = math.min(edit[2], #text)
  local to = math.min(from + edit[3], #text)
  vim.api.nvim_buf_set_text(0, line, from, line, to, vim.split(edit[4], "\n"))
  if edit[5] then
    local seen = published
    vim.api.nvim_buf_set_lines(0, -1, -1, true, { "// another line" })
    settle(seen)
  end
end
local seen = published
vim.api.nvim_buf_set_lines(0, -1, -1, true, { "// the end" })
settle(seen)
say("edited", { found(), table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n") .. "\n" })
vim.cmd("qa!")
