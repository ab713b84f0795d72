import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'

const SOURCE = join(ROOT, 'scripts/benchmarks/peers')
const FOLDER = join(ROOT, '.state/peers')
const LOCKFILE = 'package-lock.json'

/** Installs the peers from their own lockfile, and returns the folder of their programs. Needs the package registry once. */
export async function installPeers(): Promise<string> {
  const lock = readFileSync(join(SOURCE, LOCKFILE), 'utf8')
  const stamp = join(FOLDER, 'installed')
  mkdirSync(FOLDER, { recursive: true })
  cpSync(join(SOURCE, 'programs'), join(FOLDER, 'programs'), { recursive: true })
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return join(FOLDER, 'programs')
  rmSync(join(FOLDER, 'node_modules'), { recursive: true, force: true })
  for (const file of ['package.json', LOCKFILE]) cpSync(join(SOURCE, file), join(FOLDER, file))
  const { code, output } = await capture('npm', [
    'ci',
    '--prefix',
    FOLDER,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ])
  if (code !== 0) throw new Error(`The peers were not installed:\n${output}`)
  writeFileSync(stamp, lock)
  return join(FOLDER, 'programs')
}
