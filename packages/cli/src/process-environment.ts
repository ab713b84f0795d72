import { createReadStream, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Environment, Prompts } from './environment.ts'

/** Where this process runs. */
export function processEnvironment(): Environment {
  const { stdin, stdout, stderr, env } = process
  return {
    stdin: () => bytesOf(stdin),
    stdout: (text) => write(1, text),
    stderr: (text) => write(2, text),
    isTerminal: stdin.isTTY && stderr.isTTY,
    hasColours: stdout.isTTY,
    errorsHaveColours: stderr.isTTY,
    fetch: undefined,
    now: Date.now,
    home: homedir(),
    folder: process.cwd(),
    variables: env,
    readDescriptor: (fd) => bytesOf(createReadStream('', { fd })),
    prompts: PROMPTS,
    keychain: async () => (await import('./keys/keychain.ts')).systemKeychain(),
  }
}

/** Questions go to standard error: standard output is for results. */
const PROMPTS: Prompts = {
  async password(message) {
    const { password, isCancel } = await import('@clack/prompts')
    const answer = await password({ message, output: process.stderr })
    return isCancel(answer) ? null : answer
  },
  async confirm(message) {
    const { confirm, isCancel } = await import('@clack/prompts')
    const answer = await confirm({ message, initialValue: false, output: process.stderr })
    return isCancel(answer) ? false : answer
  },
  async text(message) {
    const { text, isCancel } = await import('@clack/prompts')
    const answer = await text({ message, output: process.stderr })
    return isCancel(answer) ? null : answer
  },
}

async function bytesOf(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(typeof part === 'string' ? Buffer.from(part) : part)
  return new Uint8Array(Buffer.concat(parts))
}

/** Synchronously, so that a pipe has all of it when the process ends. A reader may go away. */
function write(descriptor: number, text: string | Uint8Array): void {
  let rest = typeof text === 'string' ? Buffer.from(text) : text
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw error
    }
  }
}
