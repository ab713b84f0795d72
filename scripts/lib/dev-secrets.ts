import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from './workspace.ts'

export interface DevSecrets {
  svcInternalSecret: string
  operatorSeed: Uint8Array
}

const SECRET_BYTES = 32

/** Secrets of one local platform. Made at its first start, kept beside the state that they sign and unlock. */
export function loadDevSecrets(stateDir: string): DevSecrets {
  const path = join(stateDir, 'secrets.json')
  if (!existsSync(path)) writeSecrets(path)
  chmodSync(path, 0o600)
  const { svcInternalSecret, operatorSeed } = readSecrets(path)
  return { svcInternalSecret, operatorSeed: Uint8Array.from(Buffer.from(operatorSeed, 'base64url')) }
}

export async function operatorPublicKey(operatorSeed: Uint8Array): Promise<string> {
  const { mlDsa65 } = await import('@svc/pqc')
  return Buffer.from(await mlDsa65.publicKeyOf(operatorSeed)).toString('base64url')
}

function writeSecrets(path: string): void {
  const fresh = {
    svcInternalSecret: randomBytes(SECRET_BYTES).toString('base64url'),
    operatorSeed: randomBytes(SECRET_BYTES).toString('base64url'),
  }
  mkdirSync(join(path, '..'), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, path)
}

function readSecrets(path: string): Record<'svcInternalSecret' | 'operatorSeed', string> {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    const { svcInternalSecret, operatorSeed } = stored
    if (isSecret(svcInternalSecret) && isSecret(operatorSeed)) return { svcInternalSecret, operatorSeed }
  } catch {
    // Said below, together with a file that parses but holds something else.
  }
  throw new SetupError(
    `${path} is not a secrets file that this platform wrote: delete the folder ${join(path, '..')} to start afresh.`,
  )
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value)
}
