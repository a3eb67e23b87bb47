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
