-- warplint in Neovim 0.7 and later, with the client that is built in.
--
--   require("warplint").setup({ suppressionReason = "reviewed" })
--
-- The options are those of docs/editors.md. With Neovim 0.11, `vim.lsp.config` does the same.

local M = {}

local markers = { "warplint.toml", ".warplint.toml", "compile_commands.json", ".git" }

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  while true do
    for _, name in ipairs(markers) do
      if vim.loop.fs_stat(folder .. "/" .. name) then
        return folder
      end
    end
    local parent = vim.fn.fnamemodify(folder, ":h")
    if parent == folder then
      return vim.fn.getcwd()
    end
    folder = parent
  end
end

--- What the server does that has a command here.
local function commands(buffer)
  local command = vim.api.nvim_buf_create_user_command
  command(buffer, "WarplintFix", function()
    vim.lsp.buf.code_action()
  end, { desc = "Fixes and suppressions at the cursor" })
  command(buffer, "WarplintFixAll", function()
    vim.lsp.buf.code_action({ context = { only = { "source.fixAll.warplint" } } })
  end, { desc = "All safe fixes of the file" })
end

local marks = vim.api.nvim_create_namespace("warplint_hints")

--- Shows hints at the ends of their lines: before 0.10 Neovim has no place for them within lines.
local function show(buffer, hints)
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  local lines = {}
  for _, hint in ipairs(hints) do
    local line = hint.position.line
    lines[line] = lines[line] and lines[line] .. ", " .. hint.label or hint.label
  end
  for line, text in pairs(lines) do
    if line < vim.api.nvim_buf_line_count(buffer) then
      vim.api.nvim_buf_set_extmark(buffer, marks, line, 0, {
        virt_text = { { text, "SpecialComment" } },
        hl_mode = "combine",
        priority = 1, -- left of diagnostics
      })
    end
  end
end

--- Asks for what is shown in a buffer beside diagnostics: hints, and lenses above kernels.
local function refresh(client, buffer)
  local last = vim.api.nvim_buf_line_count(buffer)
  client.request("textDocument/inlayHint", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = { line = 0, character = 0 }, ["end"] = { line = last, character = 0 } },
  }, function(_, hints)
    if vim.api.nvim_buf_is_loaded(buffer) then
      show(buffer, hints or {})
    end
  end, buffer)
  vim.api.nvim_buf_call(buffer, vim.lsp.codelens.refresh)
end

--- What the client of versions before 0.10 does not know: that hints and lenses are others now.
local function handlers()
  local function others(_, _, context)
    for _, buffer in ipairs(vim.lsp.get_buffers_by_client_id(context.client_id)) do
      if vim.api.nvim_buf_is_loaded(buffer) then
        refresh(vim.lsp.get_client_by_id(context.client_id), buffer)
      end
    end
    return vim.NIL
  end
  return { ["workspace/inlayHint/refresh"] = others }
end

local function capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  all.workspace.inlayHint = { refreshSupport = true }
  all.textDocument.inlayHint = all.textDocument.inlayHint or { dynamicRegistration = false }
  return all
end

--- `settings` go to the server; `cmd` starts another one than that of the PATH.
function M.setup(settings, cmd)
  local clients = {}

  local function attach(args)
    local path = vim.api.nvim_buf_get_name(args.buf)
    local root = root_of(path)
    local id = clients[root]
    if id == nil or vim.lsp.client_is_stopped(id) then
      id = vim.lsp.start_client({
        name = "warplint",
        cmd = cmd or { "warplint", "server" },
        root_dir = root,
        init_options = settings,
        capabilities = capabilities(),
        handlers = vim.lsp.inlay_hint == nil and handlers() or nil,
        get_language_id = function(_, filetype)
          return filetype == "ptx" and "ptx" or "cuda"
        end,
        on_exit = function()
          clients[root] = nil
        end,
      })
      clients[root] = id
    end
    if id ~= nil then
      vim.lsp.buf_attach_client(args.buf, id)
      commands(args.buf)
      if vim.lsp.inlay_hint ~= nil then
        vim.lsp.inlay_hint.enable(true, { bufnr = args.buf })
      end
    end
  end

  vim.filetype.add({ extension = { cu = "cuda", cuh = "cuda", ptx = "ptx" } })
  vim.api.nvim_create_autocmd("FileType", {
    pattern = { "cuda", "ptx" },
    callback = attach,
    desc = "warplint",
  })
end

return M
