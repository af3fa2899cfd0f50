// Starts `aiec lsp` for designs and control code, and `aiec dap` for runs of them; all else is theirs.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const LANGUAGES = ['aie-mlir', 'cert-asm'];

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration('aiec');
  const server = {
    command: settings.get('path'),
    args: ['lsp', ...settings.get('arguments')],
  };
  client = new LanguageClient('aiec', 'aiec', server, {
    documentSelector: LANGUAGES.map((language) => ({ language })),
  });
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

function debugAdapter() {
  const settings = vscode.workspace.getConfiguration('aiec');
  return new vscode.DebugAdapterExecutable(settings.get('path'), ['dap']);
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('aiec.restart', restart),
    vscode.debug.registerDebugAdapterDescriptorFactory('aiec', {
      createDebugAdapterDescriptor: debugAdapter,
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('aiec')) {
        restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
