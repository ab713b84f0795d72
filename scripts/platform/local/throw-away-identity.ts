import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Identity } from '@svc/client'
import { SetupError } from '../workspace.ts'

interface Kept {
  readonly signing: string
  readonly kem: string
  /** The addresses of core where the identity has its genesis. */
  readonly at: readonly string[]
}

/**
 * The identity of `scripts/assertion` on a local platform: made on first use and kept with the data of the platform, so
 * that it goes when they go. It protects nothing.
 */
export async function throwAwayIdentity(stateDir: string, core: string): Promise<Identity> {
  const path = join(stateDir, 'throw-away-identity.json')
  const kept = existsSync(path) ? readKept(path) : undefined
  const identity = kept ? await Identity.fromSeeds(seedsOf(kept)) : await Identity.create()
  // Before the genesis: an identity that core has and nobody holds would be of no use.
  if (!kept) write(path, keep(identity, []))
  if (kept?.at.includes(core)) return identity
  await ensureGenesis(identity, core)
  write(path, keep(identity, [...(kept?.at ?? []), core]))
  return identity
}

/** A genesis block that is signed again is another block, which core refuses. */
async function ensureGenesis(identity: Identity, core: string): Promise<void> {
  const { status } = await fetch(`${core}/api/chain/root/${identity.did}`)
  if (status === 200) return
  await new Client({ core, did: core, identity }).chain.genesis()
}

function keep(identity: Identity, at: readonly string[]): Kept {
  const { signing, kem } = identity.revealSeeds()
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  return { signing: text(signing), kem: text(kem), at }
}

const seedsOf = ({ signing, kem }: Kept) => ({ signing: bytesOf(signing), kem: bytesOf(kem) })
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'))

function readKept(path: string): Kept {
  try {
    const { signing, kem, at } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Kept>
    if (typeof signing === 'string' && typeof kem === 'string' && Array.isArray(at)) return { signing, kem, at }
  } catch {
    // Reported below.
  }
  throw new SetupError(`${path} is not an identity: delete the file to get another one.`)
}

/** Two commands at once may both be the first: each file is whole, and the last one stays. */
function write(path: string, kept: Kept): void {
  mkdirSync(join(path, '..'), { recursive: true })
  const unfinished = `${path}.${randomUUID()}`
  writeFileSync(unfinished, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, path)
}
