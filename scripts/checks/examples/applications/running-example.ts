import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { capture } from '@svc/platform/command'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'

/** The example sends from an address of its own, as every test file does. */
const OWN_ADDRESS = join(ROOT, 'scripts/checks/running-platform/own-address.ts')

const here = () => ({ CORE_URL: sharedPlatform().urls.core, PORT: '0' })

const commandOf = (file: string, args: readonly string[]) => [
  `--import=${OWN_ADDRESS}`,
  '--no-warnings',
  join(ROOT, 'examples', file),
  ...args,
]

/** An example's program, started as its README says, on the shared platform. */
export function startExample(file: string, { args = [], env = {} }: StartOptions = {}) {
  const child = spawn(process.execPath, commandOf(file, args), {
    cwd: ROOT,
    env: { ...process.env, ...here(), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    send: (line: string) => child.stdin.write(`${line}\n`),
    nextLine: async (): Promise<string> => {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`${file} ended`)
      return value
    },
    stop: () => child.kill(),
    /** Stops the program, and waits until its port is free. */
    stopped: async () => {
      const ended = once(child, 'exit')
      if (child.kill()) await ended
    },
  }
}

/** Runs an example's program to its end: its exit code and what it printed. */
export async function runExample(file: string, { args = [], env = {} }: StartOptions = {}) {
  const { code, output } = await capture(process.execPath, commandOf(file, args), { ...here(), ...env })
  return [code, output.trim()] as const
}

interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}
