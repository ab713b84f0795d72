import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECORDED_OBJECTS, type RecordingService } from '@svc/protocol/operator/rebuild-objects'
import { SetupError } from '../workspace.ts'

const RECORDING = Object.keys(RECORDED_OBJECTS) as RecordingService[]
/** Each Worker has its own. */
type RecordsSeedName = `${RecordingService}RecordsSeed`
const RECORDS_SEEDS = RECORDING.map((service): RecordsSeedName => `${service}RecordsSeed`)

const NAMES = [
  'svcInternalSecret',
  'operatorSeed',
  'publisherSeed',
  'anchorLogSeed',
  'receiptSeed',
  'inviteSeed',
  'codesSeed',
  'claimantsSeed',
  ...RECORDS_SEEDS,
  'quotaReceiptSeed',
  'directoryLogSeed',
  'directoryReceiptSeed',
  'keyLabelsSeed',
  'logListSeed',
  'witnessSeed',
  'webhookSecret',
  'opaqueServerSeed',
  'consentSeed',
  'resolverSeed',
] as const
type StoredSecrets = Record<(typeof NAMES)[number], string>

export interface DevSecrets {
  readonly svcInternalSecret: string
  readonly operatorSeed: Uint8Array
  readonly publisherSeed: Uint8Array
  readonly anchorLogSeed: Uint8Array
  readonly receiptSeed: Uint8Array
  readonly inviteSeed: Uint8Array
  readonly codesSeed: Uint8Array
  readonly claimantsSeed: Uint8Array
  readonly recordsSeeds: Readonly<Record<RecordingService, Uint8Array>>
  readonly quotaReceiptSeed: Uint8Array
  readonly directoryLogSeed: Uint8Array
  readonly directoryReceiptSeed: Uint8Array
  readonly keyLabelsSeed: Uint8Array
  readonly logListSeed: Uint8Array
  readonly witnessSeed: Uint8Array
  readonly webhookSecret: string
  readonly opaqueServerSeed: Uint8Array
  readonly consentSeed: Uint8Array
  readonly resolverSeed: Uint8Array
}

const SECRET_BYTES = 32

/** The secrets of one local platform. Generated on first use, and kept in the state folder with the data they protect. */
export function loadDevSecrets(stateDir: string): DevSecrets {
  const path = join(stateDir, 'secrets.json')
  const stored = existsSync(path) ? readSecrets(path) : {}
  const missing = NAMES.filter((name) => stored[name] === undefined)
  const fresh = missing.map((name) => [name, randomBytes(SECRET_BYTES).toString('base64url')])
  const secrets = { ...stored, ...Object.fromEntries(fresh) } as StoredSecrets
  if (missing.length > 0) writeSecrets(path, secrets)
  chmodSync(path, 0o600)
  const bytesOf = (name: keyof StoredSecrets) => Uint8Array.from(Buffer.from(secrets[name], 'base64url'))
  return {
    svcInternalSecret: secrets.svcInternalSecret,
    operatorSeed: bytesOf('operatorSeed'),
    publisherSeed: bytesOf('publisherSeed'),
    anchorLogSeed: bytesOf('anchorLogSeed'),
    receiptSeed: bytesOf('receiptSeed'),
    inviteSeed: bytesOf('inviteSeed'),
    codesSeed: bytesOf('codesSeed'),
    claimantsSeed: bytesOf('claimantsSeed'),
    recordsSeeds: Object.fromEntries(RECORDING.map((service) => [service, bytesOf(`${service}RecordsSeed`)])) as Record<
      RecordingService,
      Uint8Array
    >,
    quotaReceiptSeed: bytesOf('quotaReceiptSeed'),
    directoryLogSeed: bytesOf('directoryLogSeed'),
    directoryReceiptSeed: bytesOf('directoryReceiptSeed'),
    keyLabelsSeed: bytesOf('keyLabelsSeed'),
    logListSeed: bytesOf('logListSeed'),
    witnessSeed: bytesOf('witnessSeed'),
    webhookSecret: secrets.webhookSecret,
    opaqueServerSeed: bytesOf('opaqueServerSeed'),
    consentSeed: bytesOf('consentSeed'),
    resolverSeed: bytesOf('resolverSeed'),
  }
}

/** The ML-DSA-65 public key of a seed, encoded as in the configuration. */
export async function publicKeyOf(seed: Uint8Array): Promise<string> {
  const { mlDsa65 } = await import('@svc/pqc')
  return Buffer.from(await mlDsa65.publicKeyOf(seed)).toString('base64url')
}

function writeSecrets(path: string, secrets: StoredSecrets): void {
  mkdirSync(join(path, '..'), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, path)
}

/** Reads the file. A secret introduced by a later version may be missing; a malformed one is an error. */
function readSecrets(path: string): Partial<StoredSecrets> {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    const entries = NAMES.filter((name) => name in stored).map((name) => [name, stored[name]] as const)
    if (entries.length > 0 && entries.every(([, value]) => isSecret(value))) return Object.fromEntries(entries)
  } catch {
    // Reported below, together with a file that parses but contains something else.
  }
  throw new SetupError(
    `${path} is not a secrets file of this platform: delete the folder ${join(path, '..')} to start over.`,
  )
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value)
}
