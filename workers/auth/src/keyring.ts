import { bytesToHex } from '@noble/hashes/utils.js'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { OpaqueServer } from './opaque/rules.ts'
import { SeedKeys } from './seed-keys.ts'

/** A keyed hash, and the version of the seed that its key comes from. */
export interface Name {
  readonly version: number
  readonly hash: string
}

/** What one thing is called under every version of the seed, the newest first: a row may have any of them. */
export type Names = readonly [Name, ...Name[]]

/** For `IN (SELECT value FROM json_each(?))`. */
export function hashesOf(names: Names): string {
  return JSON.stringify(names.map(({ hash }) => hash))
}

/**
 * The keys of this service, from every version of its secret. What is made is made with the newest; what is looked up or
 * verified may come from any. A member throws a `DependencyFault` if the deployment has no secret: nobody can sign in
 * without one.
 */
export class Keyring {
  readonly #versions: readonly SeedKeys[]

  constructor(seeds: ReadonlyMap<number, string>, server: OpaqueServer) {
    this.#versions = [...seeds]
      .toSorted(([left], [right]) => right - left)
      .map(([version, seed]) => new SeedKeys(version, seed, server))
  }

  get newest(): SeedKeys {
    return this.all[0]
  }

  /** The newest first. */
  get all(): readonly [SeedKeys, ...SeedKeys[]] {
    const [newest, ...before] = this.#versions
    if (!newest) throw new DependencyFault('sign-in seed', { cause: new Error('no seed') })
    return [newest, ...before]
  }

  /** Null if the deployment does not have that version any more. */
  of(version: number): SeedKeys | null {
    return this.all.find((keys) => keys.version === version) ?? null
  }

  identifierNames(normalized: string): Names {
    return this.#names((keys) => bytesToHex(keys.identifierHash(normalized)))
  }

  subjectNames(issuer: string, subject: string): Names {
    return this.#names((keys) => keys.subjectHash(issuer, subject))
  }

  #names(hash: (keys: SeedKeys) => string): Names {
    const [newest, ...earlier] = this.all
    const nameOf = (keys: SeedKeys): Name => ({ version: keys.version, hash: hash(keys) })
    return [nameOf(newest), ...earlier.map(nameOf)]
  }
}
