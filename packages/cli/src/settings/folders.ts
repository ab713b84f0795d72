import { isAbsolute, join } from 'node:path'
import type { Environment } from '../environment.ts'

/** Where things are kept, as the XDG base directory specification says. */
export interface Folders {
  /** Profiles: addresses and choices, nothing secret. */
  readonly config: string
  /** Encrypted keys. */
  readonly data: string
  /** What a deployment has shown before. */
  readonly state: string
}

export function foldersOf({ home, variables }: Pick<Environment, 'home' | 'variables'>): Folders {
  const base = (name: string, otherwise: string) => {
    const set = variables[name]
    // The specification says to ignore a relative path.
    return join(set !== undefined && isAbsolute(set) ? set : join(home, otherwise), 'svc')
  }
  return {
    config: base('XDG_CONFIG_HOME', '.config'),
    data: base('XDG_DATA_HOME', '.local/share'),
    state: base('XDG_STATE_HOME', '.local/state'),
  }
}
