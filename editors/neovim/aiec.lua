-- `aiec lsp` for designs and control code, for Neovim 0.8 and later.
-- Put this file into ~/.config/nvim/plugin/; `aiec` must be on the PATH, or `vim.g.aiec_path` name it.

vim.filetype.add({ extension = { mlir = 'mlir' } })

vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'mlir', 'asm' },
  callback = function(args)
    local command = { vim.g.aiec_path or 'aiec', 'lsp' }
    vim.list_extend(command, vim.g.aiec_arguments or {})
    vim.lsp.start({
      name = 'aiec',
      cmd = command,
      root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(args.buf)),
    })
  end,
})
