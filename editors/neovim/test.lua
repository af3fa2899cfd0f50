-- A session of Neovim with `aiec lsp`, without a screen:
--
--     AIEC=target/debug/aiec nvim --headless -u NONE -S editors/neovim/test.lua DESIGN.mlir
--
-- Ends with 0 if a mistake that is typed is found, and goes when it is taken back; if a tile has a hover; and if
-- the definition of a value is found.

local folder = vim.fn.fnamemodify(debug.getinfo(1).source:sub(2), ':p:h')
vim.g.aiec_path = vim.env.AIEC or 'aiec'
vim.cmd('source ' .. folder .. '/aiec.lua')

local PATIENCE = 30000

local function fail(what)
  io.stderr:write(what .. '\n')
  vim.cmd('cquit 1')
end

local function await(what, condition)
  if not vim.wait(PATIENCE, condition, 20) then
    fail('no ' .. what)
  end
end

local function place_of(buffer, word)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(word, 1, true)
    if column then
      return row - 1, column - 1
    end
  end
  fail('no ' .. word .. ' in the design')
end

local function ask(buffer, method, row, column)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = row, character = column },
  }
  local answers = vim.lsp.buf_request_sync(buffer, method, params, PATIENCE)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

local function session()
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].filetype = 'mlir'
  await('client', function()
    return #vim.tbl_keys(vim.lsp.buf_get_clients(buffer)) > 0
  end)
  local row, column = place_of(buffer, '= aie.tile(')
  local hover
  await('hover', function()
    hover = ask(buffer, 'textDocument/hover', row, column + 3)
    return hover and hover.contents.value:find('resources of tile', 1, true) ~= nil
  end)
  if #vim.diagnostic.get(buffer) ~= 0 then
    fail('findings of a good design: ' .. vim.inspect(vim.diagnostic.get(buffer)))
  end
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  vim.api.nvim_buf_set_lines(buffer, row, row + 1, false, { (line:gsub('aie.tile', 'aie.tlie')) })
  await('finding', function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  vim.api.nvim_buf_set_lines(buffer, row, row + 1, false, { line })
  await('end of the findings', function()
    return #vim.diagnostic.get(buffer) == 0
  end)
  local use_row, use_column = place_of(buffer, '(%')
  local definition = ask(buffer, 'textDocument/definition', use_row, use_column + 2)
  if not definition or definition.range.start.line >= use_row then
    fail('no definition: ' .. vim.inspect(definition))
  end
end

local ok, message = pcall(session)
if not ok then
  fail(tostring(message))
end
vim.cmd('qall!')
