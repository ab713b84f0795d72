import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../workspace.ts'

/**
 * Keeps a state folder to the realm of its first start. The realm is the address of core, so it changes with the ports, and
 * the services refuse every signature that was made for another one.
 */
export function requireSameRealm(stateDir: string, realm: string): void {
  const path = join(stateDir, 'realm.txt')
  const first = readRealm(path) ?? realmOfLogList(join(stateDir, 'log-list.json'))
  if (first === undefined || first === realm) {
    writeFileSync(path, `${realm}\n`)
    return
  }
  throw new SetupError(
    `${stateDir} was made for ${first}, not for ${realm}, so what is signed in it would be refused: start with --port-base ${new URL(first).port}, or choose another folder with --state.`,
  )
}

function readRealm(path: string): string | undefined {
  try {
    const realm = readFileSync(path, 'utf8').trim()
    return URL.canParse(realm) ? realm : undefined
  } catch {
    return undefined
  }
}

/** Folders of earlier versions have no file for the realm, but a list of logs that names it. */
function realmOfLogList(path: string): string | undefined {
  try {
    const { statement } = JSON.parse(readFileSync(path, 'utf8')) as { statement?: { realm?: unknown } }
    return typeof statement?.realm === 'string' ? statement.realm : undefined
  } catch {
    return undefined
  }
}
