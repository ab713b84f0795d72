import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { exportOperatorKey } from '@svc/client/operator'
import { secretOf } from '@svc/client/text'
import { UsageError } from '@svc/platform/entry'
import { resolveFromCaller } from '@svc/platform/workspace'

const MIN_PASSPHRASE = 12

/** Writes the operator's key to a new file, encrypted with a passphrase, for the operator's page of the console. */
export async function exportKey(seed: Uint8Array, file: string): Promise<number> {
  const passphrase = await askPassphrase()
  if (passphrase.length < MIN_PASSPHRASE)
    throw new UsageError(`Choose a passphrase of at least ${MIN_PASSPHRASE} characters`)
  const exported = await exportOperatorKey(seed, passphrase)
  writeFileSync(resolveFromCaller(file), `${JSON.stringify(exported, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  console.log(`Wrote ${file}`)
  return 0
}

/** The first line of a pipe, or what is typed, which is not shown. */
async function askPassphrase(): Promise<string> {
  const { stdin, stdout } = process
  if (!stdin.isTTY) {
    for await (const line of createInterface({ input: stdin })) return line
    return ''
  }
  const silent = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: stdin, output: silent, terminal: true })
  try {
    stdout.write('Passphrase: ')
    const first = await terminal.question('')
    stdout.write('\nThe same again: ')
    const second = await terminal.question('')
    stdout.write('\n')
    if (secretOf(first) !== secretOf(second)) throw new UsageError('The passphrases differ')
    return first
  } finally {
    terminal.close()
  }
}
