-- `aiec lsp` for designs and control code, for Neovim 0.7 and later.
-- Put this file into ~/.config/nvim/plugin/; `aiec` must be on the PATH, or `vim.g.aiec_path` name it.

vim.filetype.add({ extension = { mlir = 'mlir' } })

local client

local function start(buffer)
  local command = { vim.g.aiec_path or 'aiec', 'lsp' }
  vim.list_extend(command, vim.g.aiec_arguments or {})
  local config = {
    name = 'aiec',
    cmd = command,
    root_dir = vim.fn.getcwd(),
    on_exit = function()
      client = nil
    end,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
  else
    client = client or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buffer, client)
  end
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'mlir', 'asm' },
  callback = function(args)
    start(args.buf)
  end,
})
