/** `svc verify` knows every file that `svc` writes, against a running platform. */
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ageKey } from '../../../packages/cli/test/age-key.ts'
import { PlatformMachine } from './machine.ts'

const { core } = sharedPlatform().urls
const machine = new PlatformMachine()
afterAll(() => machine.remove())
let did = ''

beforeAll(async () => {
  await machine.json(`init --core ${core}`)
  await machine.json('id new --local')
  await machine.json('chain init')
  await machine.json('did register')
  ;({ did } = await machine.json<{ did: string }>('whoami'))
}, 120_000)

const refusing = {
  fetch: async (url: string) => {
    throw new Error(`Asked for ${url}`)
  },
}
/** What is named and proves nothing yet. */
const named = (words: string) => machine.json<{ kind: string }>(`verify ${words}`, 4, refusing)

it('the record of a capsule', async () => {
  machine.write('photo.jpg', crypto.getRandomValues(new Uint8Array(512)))
  const { assetId } = await machine.json<{ assetId: string }>('capsule sign photo.jpg --mime image/jpeg')
  const record = await machine.json(`capsule open ${assetId}`)
  machine.write('capsule.json', JSON.stringify(record))
  expect(await machine.json('verify capsule.json --file photo.jpg')).toMatchObject({
    kind: 'capsule',
    verdict: 'valid',
    did,
  })
  await machine.json(`capsule delete ${assetId}`)
  expect(await machine.json('verify capsule.json --file photo.jpg')).toMatchObject({
    kind: 'capsule',
    verdict: 'valid',
    did,
  })
  expect(await machine.json('verify capsule.json', 4)).toMatchObject({ kind: 'capsule', verdict: 'undecided', did })
})

it('the opening of a commitment', async () => {
  machine.write('idea.txt', 'an idea')
  await machine.json('commitment make idea.txt')
  const opening = 'verify idea.txt.opening.json'
  expect(await machine.json(`${opening} --file idea.txt`)).toMatchObject({ kind: 'commitment', verdict: 'valid', did })
  expect((await machine.run(opening)).code).toBe(4)
  expect((await machine.run(`${opening} --file photo.jpg`)).code).toBe(3)
})

it('an export of notes, and with evidence the receipt of a deletion without a network', async () => {
  const { noteId } = await machine.json<{ noteId: string }>('note write --title Idea --file idea.txt')
  await machine.json(`note attach ${noteId} photo.jpg`)
  await machine.json('note export --out notes.jsonl')
  expect(await machine.json('verify notes.jsonl')).toMatchObject({ kind: 'notes', verdict: 'valid', did })
  machine.write('cut.jsonl', machine.read('notes.jsonl').split('\n').slice(0, -2).join('\n'))
  expect((await machine.run('verify cut.jsonl')).code).toBe(3)
  await machine.json('verify notes.jsonl --evidence known.json')
  expect(await machine.json('verify notes.jsonl --offline --evidence known.json', 0, refusing)).toMatchObject({
    kind: 'notes',
  })
  await machine.json(`note delete ${noteId} --out receipt.json`)
  const offline = 'verify receipt.json --offline --evidence known.json'
  expect(await machine.json(offline, 0, refusing)).toMatchObject({ kind: 'receipt', verdict: 'valid' })
  expect(await named('known.json')).toMatchObject({ kind: 'draft' })
})

it('a checkpoint of the beacon, and the state of an audit', async () => {
  await machine.json('directory beacon --out beacon.tlog-proof')
  expect(await machine.json('verify beacon.tlog-proof')).toMatchObject({ kind: 'beacon', verdict: 'valid' })
  await machine.json('directory audit --state state.json')
  expect(await machine.json('verify state.json')).toMatchObject({ kind: 'checkpoints', verdict: 'valid' })
})

it('the request of a recovery', async () => {
  await machine.json('recovery prepare --out recovery.json')
  expect(await machine.json('verify recovery.json')).toMatchObject({ kind: 'export', verdict: 'valid', did })
  await machine.json('recovery operator --out request.json')
  expect(await machine.json('verify request.json')).toMatchObject({ kind: 'statement', verdict: 'valid', did })
})

it('what is encrypted, and what is not signed yet', async () => {
  const { recipient } = await ageKey()
  await machine.json(['id', 'backup', '--to', recipient, '--out', 'keys.age'])
  await machine.json('inbox export --out inbox.json')
  await machine.json(`org propose --officer ${did} --quorum 1`)
  for (const file of ['keys.age', 'inbox.json']) expect((await named(file)).kind, file).toBe('sealed')
  expect((await named('officers.json')).kind).toBe('draft')
  await machine.json('org accept officers.json')
  const accepted = await machine.json('verify officers.json.accepted.json')
  expect(accepted).toMatchObject({ kind: 'statement', verdict: 'valid', did })
})
