import { workerData, type MessagePort } from 'node:worker_threads';
import { evaluateScript, type ScriptQuestion } from './evaluate-script.ts';

/** What the thread that evaluates scripts begins with: the interpreter's code, and where its questions come from. */
export interface ScriptThreadStart {
  interpreter: Uint8Array<ArrayBuffer>;
  port: MessagePort;
}

const { interpreter, port } = workerData as ScriptThreadStart;
const wasm = await WebAssembly.compile(interpreter);
port.on('message', (question: ScriptQuestion) => {
  void (async () => port.postMessage(await evaluateScript(wasm, question)))();
});
