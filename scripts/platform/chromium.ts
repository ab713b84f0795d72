import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { capture } from './command.ts'
import { SetupError } from './workspace.ts'

/** Returns CHROME_PATH, or `chromium` in PATH, or undefined. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const chosen = env['CHROME_PATH']
  if (chosen !== undefined && chosen !== '') {
    if (isExecutable(chosen)) return chosen
    throw new SetupError(`CHROME_PATH is ${chosen}, which cannot be run: set it to an executable, or unset it.`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'chromium')).find(isExecutable)
}

/** Like `findChromium`, but installs Chromium if it is missing and this is Debian and root. */
export async function provideChromium(): Promise<string | undefined> {
  const found = findChromium()
  if (found !== undefined || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return found
  console.log('Installing Chromium with apt-get …')
  await capture('apt-get', ['update', '-qq'])
  await capture('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'])
  return findChromium()
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
