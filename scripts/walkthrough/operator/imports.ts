import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sendOperatorAct, settleAct } from '@svc/operations/operator-act'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'
import { clientOf, named, type Show, type World } from '../world.ts'

/** The operator imports records of an earlier service from files. Everybody can read them, and nobody can change them. */
export async function imports(world: World, show: Show): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-imports-'))
  try {
    await commitments(world, folder, show)
    await consents(world, folder, show)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function commitments(world: World, folder: string, show: Show): Promise<void> {
  const id = `note-${crypto.randomUUID()}`
  const record = { id, commitmentHash: 'a1'.repeat(32), algorithm: 'SHA-256', did: null, createdAt: 1_600_000_000_000 }
  const rest = { record: '{"note":17}' }
  const file = linesIn(folder, 'commitments', [
    { ...record, ...rest },
    { ...record, ...rest, id: `${id}-b` },
  ])
  await show('operator: imports two historical commitments', 'status 0; 2 imported, 0 known, 0 refused', () =>
    admin(world, 'commitments', file),
  )
  await show('operator: imports the same file again', 'status 0; 0 imported, 2 known, 0 refused', () =>
    admin(world, 'commitments', file),
  )
  await show('must fail: importing another record under that id', 'status 1; 0 imported, 0 known, 1 refused', () =>
    admin(world, 'commitments', linesIn(folder, 'others', [{ ...record, ...rest, createdAt: 1_500_000_000_000 }])),
  )
  await show(
    'anyone: reads an imported commitment as it was',
    'historical of 1600000000000, not verifiable',
    async () => {
      const { profile, commitment_hash: hash, created_at_ms: at, ...read } = await anyone(world).commitment(id)
      if (hash !== record.commitmentHash || read.algorithm !== null) return 'relabelled'
      return `${profile} of ${at}, ${read.verification.verifiable ? 'verifiable' : 'not verifiable'}`
    },
  )
}

const anyone = (world: World) => clientOf(world).provenance

async function consents(world: World, folder: string, show: Show): Promise<void> {
  const { consent: hers } = world.alice.client
  const contentHash = `walk-through/${crypto.randomUUID()} of an earlier service`
  const preferences = { ai_training: 'disallow' }
  const file = linesIn(folder, 'consent', [{ contentHash, preferences, declaredAt: 1_600_000_000_000 }])
  await show('operator: imports a consent record without an owner', 'status 0; 1 imported, 0 known, 0 refused', () =>
    admin(world, 'consent', file),
  )
  await show('anyone: reads the imported record', 'disallow, declared by nobody', async () => {
    const record = await clientOf(world).consent.read(contentHash)
    if (!record.found) return 'not found'
    return `${record.preferences.ai_training}, declared by ${record.creator_did ?? 'nobody'}`
  })
  const refused = '409 non_native_consent_record'
  await show('must fail: alice declares for the imported identifier', refused, () =>
    hers.publish(contentHash, { ai_training: 'allow' }).then(() => 'published', named),
  )
  await show('must fail: alice changes the imported record', refused, () =>
    hers.update(contentHash, { ai_training: 'allow' }).then(() => 'changed', named),
  )
  await show('must fail: alice revokes the imported record', refused, () =>
    hers.revoke(contentHash).then(() => 'revoked', named),
  )
  await show('must fail: the operator passes it to alice', refused, async () => {
    const act = settleAct([contentHash, world.alice.identity.did, 'authorship'])
    if (!act) return 'no act'
    const target = { service: world.consent, realm: world.core }
    const answer = await sendOperatorAct(target, world.secrets.operatorSeed, act)
    return `${answer.status} ${((await answer.json()) as { error?: string }).error}`
  })
}

/** A file with one JSON object in each line. */
function linesIn(folder: string, name: string, records: readonly object[]): string {
  const file = join(folder, `${name}.jsonl`)
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return file
}

function seedFile(folder: string, seed: Uint8Array): string {
  const file = join(folder, 'operator-seed')
  writeFileSync(file, Buffer.from(seed).toString('hex'), { mode: 0o600 })
  return file
}

/** Runs `scripts/admin … import FILE`: its exit status, and what the service did with the records. */
async function admin(world: World, name: 'commitments' | 'consent', file: string): Promise<string> {
  const { core, provenance, consent, secrets } = world
  const services = ['--core', core, '--provenance', provenance, '--consent', consent]
  const env = { OPERATOR_SEED_FILE: seedFile(dirname(file), secrets.operatorSeed) }
  const { code, output } = await capture(join(ROOT, 'scripts/admin'), [name, 'import', file, ...services], env)
  const [, counts] = /"data": (\{[^}]*\})/.exec(output) ?? []
  if (counts === undefined) return `status ${code}; ${output.trim().split('\n').at(-1)}`
  const { imported, known, refused } = JSON.parse(counts) as { imported: number; known: number; refused: string[] }
  return `status ${code}; ${imported} imported, ${known} known, ${refused.length} refused`
}
