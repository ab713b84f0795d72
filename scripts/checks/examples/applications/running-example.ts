import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'

/** The example sends from an address of its own, as every test file does. */
export const OWN_ADDRESS = join(ROOT, 'scripts/checks/running-platform/own-address.ts')

/** An example's program, started as its README says, on the shared platform. */
export function startExample(file: string, { args = [], env = {} }: StartOptions = {}) {
  const command = [`--import=${OWN_ADDRESS}`, '--no-warnings', join(ROOT, 'examples', file), ...args]
  const { urls } = sharedPlatform()
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, CORE_URL: urls.core, PORT: '0', ...env },
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
  }
}

interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}
