/** Runs the examples of the help, but for those of groups that have a file of their own. */
import { execFileSync } from 'node:child_process'
import { importKeys } from '@svc/client/backup'
import { replyKeySchema, replyLinkOf } from '@svc/client/functions'
import { secretOf } from '@svc/client/text'
import { sharedAddress, sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SealedFile } from '../../../packages/cli/src/keys/sealed-file.ts'
import { ageKey } from '../../../packages/cli/test/age-key.ts'
import { PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { DID, Examples, OF_SERVICES, WITH_OTHERS } from './examples.ts'
import { SIGNER_PROGRAM } from './signer-program.ts'

const { urls, mail } = sharedPlatform()
const typing = new Examples((group) => ![...OF_SERVICES, ...WITH_OTHERS].includes(group))
const { shells, ids } = typing
const idOf = (name: string) => typing.idOf(name)
afterAll(() => shells.remove())

beforeAll(async () => {
  await shells.open()
  const person = ['report.pdf', 'photo.jpg', 'photo.png']
  for (const file of person) shells.write('me', file, crypto.getRandomValues(new Uint8Array(600)))
  shells.write('me', 'note.txt', 'hello')
  shells.write('me', 'recipe.txt', 'eggs and milk')
  await shells.json('friend', `svc init --core ${urls.core}`)
  ids.set('friend', (await shells.json<{ did: string }>('friend', 'svc id new')).did)
}, 300_000)

/** Some twenty programs one after the other. */
const MAX_MS = 1_800_000

describe('the examples', { timeout: MAX_MS }, () => {
  it('of setting up', async () => {
    await typing.several('svc init --core http://localhost:8787', 'svc init --profile work --core https://core.example')
    await typing.several('svc trust', 'svc trust --proposed', 'svc trust --no-witnesses')
    const { fingerprint } = await shells.json<{ fingerprint: string }>('me', 'svc trust')
    const shown = { with: { '4f1c 9a2b 77d0 3e55 81aa 0c6f 2d94 b813': fingerprint } }
    await typing.one(
      'svc init --core https://core.example --fingerprint "4f1c 9a2b 77d0 3e55 81aa 0c6f 2d94 b813"',
      shown,
    )
    await typing.one('svc trust --fingerprint "4f1c 9a2b 77d0 3e55 81aa 0c6f 2d94 b813"', shown)
    await typing.several('svc id new', 'svc doctor', 'svc doctor --json', 'svc whoami', 'svc capabilities --json')
    await typing.one('svc status')
    ids.set('me', (await shells.json<{ did: string }>('me', 'svc whoami')).did)
    await typing.one('svc init --core http://localhost:8787', { as: 'other' })
    await typing.one('svc id new --passphrase-fd 3 3<passphrase.txt', { as: 'other' })
    await typing.one('svc init --core http://localhost:8787', { as: 'careful' })
    await typing.one('svc id new --sheet-file first.txt second.txt', { as: 'careful' })
    await typing.several('svc completion bash', 'svc completion zsh', 'svc quota', 'svc quota --json')
    await typing.several('svc request GET /api/capabilities', 'svc request GET /api/chain/head --aud chain')
    const zeros = { publicKeyB64u: 'A'.repeat(2603), messageB64u: 'AAAA', signatureB64u: 'A'.repeat(4412) }
    shells.write('me', 'signed.json', JSON.stringify({ alg: 'ml-dsa-65', ...zeros }))
    await typing.one('svc request POST /api/pqc/verify --data signed.json')
    await typing.several('svc schema anchor stamp', 'svc schema verify --json', 'svc man >svc.1')
  })

  it('of identities', async () => {
    await typing.several('svc id list', 'svc id list --json', 'svc id show', 'svc id export --out keys.json')
    await typing.one(`svc id show ${DID}`, { with: { [DID]: idOf('me') } })
    const { secret, recipient } = await ageKey()
    shells.write('me', 'recipient.txt', recipient)
    await typing.one('svc id backup --to "$(cat recipient.txt)" --out keys.age')
    for (const machine of ['laptop', 'desktop']) {
      await shells.json(machine, `svc init --core ${urls.core}`)
      shells.write(machine, 'key.txt', secret)
      for (const file of ['keys.json', 'keys.age']) shells.hand(file, 'me', machine)
    }
    await typing.one('svc id import keys.json', { as: 'laptop' })
    await typing.one('svc id import keys.age --age-identity key.txt', { as: 'desktop' })
    const { identity } = await importKeys(JSON.parse(shells.read('me', 'keys.json')), PASSPHRASE)
    const seeds = identity?.revealSeeds()
    shells.write('signing', 'seeds.json', JSON.stringify([[...(seeds?.signing ?? [])], [...(seeds?.kem ?? [])]]))
    shells.write('signing', 'signer.mjs', SIGNER_PROGRAM)
    await shells.json('signing', `svc init --core ${urls.core}`)
    await typing.one(`svc init --did ${DID} --signer node signer.mjs`, { as: 'signing', with: { [DID]: idOf('me') } })
    await shells.json('leaver', `svc init --core ${urls.core}`)
    await shells.json('leaver', 'svc id new --local')
    await typing.one('svc chain init', { as: 'leaver' })
    await typing.one('svc id events', { as: 'leaver' })
    await typing.one('svc id events --wait', { as: 'leaver', ends: 4 })
    await typing.one('svc id deactivate --dry-run', { as: 'leaver' })
    await typing.one('svc id deactivate --yes', { as: 'leaver' })
  })

  it('of the chain, of anchors and of verification', async () => {
    await typing.several('svc did register', 'svc chain head', 'svc chain head --json')
    await typing.one(`svc did resolve ${DID} --json`, { with: { [DID]: idOf('me') } })
    await typing.one(`svc did resolve ${DID} --version-id 0`, { with: { [DID]: idOf('me') } })
    await typing.several('svc chain append --file report.pdf --type application/pdf')
    await typing.several('svc chain append --file - --type text/plain <note.txt', 'svc chain list')
    await typing.several(
      'svc chain list --from 100 --limit 10',
      'svc chain payload 1',
      'svc chain payload 1 --out payload.pdf',
    )
    await typing.several('svc sign report.pdf', 'svc verify report.pdf.signed.json --file report.pdf')
    await typing.several('svc sign report.pdf --for contracts.example --out contract.json')
    await typing.several('svc chain verify', 'svc chain export --out chain.json', 'svc chain export >chain.json')
    await typing.one(`svc verify chain.json --offline --did ${DID}`, { with: { [DID]: idOf('me') } })
    await typing.several(
      'svc anchor stamp report.pdf',
      'svc anchor stamp --head --epoch 2026-11 --out head.anchor.json',
    )
    await typing.one('svc anchor find report.pdf --out found.anchor.json')
    await typing.one('svc anchor upgrade report.pdf.anchor.json --wait')
    await typing.several(
      'svc anchor verify report.pdf.anchor.json report.pdf',
      'svc anchor info report.pdf.anchor.json',
      'svc anchor log',
    )
    shells.write('me', 'anchor.json', shells.read('me', 'report.pdf.anchor.json'))
    await typing.several('svc verify anchor.json --file report.pdf --evidence known.json')
    await typing.several('svc verify anchor.json --file report.pdf --offline --evidence known.json')
  })

  it('of explanations', async () => {
    const { blocks } = JSON.parse(shells.read('me', 'chain.json')) as { blocks: object[] }
    shells.write('me', 'block.json', JSON.stringify(blocks[1]))
    const { record } = JSON.parse(shells.read('me', 'anchor.json')) as { record: object }
    shells.write('me', 'statement.json', JSON.stringify({ type: 'svc/message/v1', ...record }))
    await typing.several('svc explain block block.json', 'svc explain statement statement.json')
    await typing.several('svc explain error stale_head', 'svc explain error security_hold --json')
    const { identity } = await importKeys(JSON.parse(shells.read('me', 'keys.json')), PASSPHRASE)
    const url = `${urls.core}/api/chain/head`
    const assertion = await identity?.assertion({ method: 'GET', url, audience: 'chain' })
    await typing.one("svc explain assertion 'ServiceAssertion …' --url http://localhost:8787/api/chain/head", {
      with: { 'ServiceAssertion …': assertion ?? '' },
    })
  })

  it('of assets and messages', async () => {
    await typing.one('svc asset mint photo.png --mime image/png')
    shells.write('me', 'photo.png', crypto.getRandomValues(new Uint8Array(64)))
    const { asset } = await shells.json<{ asset: { assetId: string } }>(
      'me',
      'svc asset mint photo.png --mime image/png',
    )
    const ASSET = { with: { ASSET: asset.assetId } }
    await typing.one('svc asset show ASSET', ASSET)
    await typing.one('svc asset export ASSET --out asset.json', ASSET)
    shells.write('friend', 'message.txt', 'May I print it?')
    const send =
      'svc inbox send ASSET --from me@example.org --name Grace --subject Photo --file message.txt --challenge TOKEN --reply-key reply-key.age'
    const from = `grace.${crypto.randomUUID()}@example.org`
    const put = { ASSET: asset.assetId, TOKEN: 'XXXX.DUMMY.TOKEN.XXXX', 'me@example.org': from }
    await typing.one(send, { as: 'friend', ends: 4, with: put })
    const code = await mail.codeIn(asset.assetId)
    await typing.one('svc inbox deliver message.pending.json 123456', { as: 'friend', with: { 123456: code } })
    await typing.several('svc inbox list', 'svc inbox export --out inbox.json')
    const { messages } = await shells.json<{ messages: { msgId: string }[] }>('me', 'svc inbox list')
    const MESSAGE = { with: { MESSAGE: messages[0]?.msgId ?? '' } }
    await typing.one('svc inbox read MESSAGE', MESSAGE)
    shells.write('me', 'answer.txt', 'You may.')
    await typing.one('svc inbox reply MESSAGE --file answer.txt --out reply.json', MESSAGE)
    shells.hand('reply.json', 'me', 'friend')
    const kept = await new SealedFile(shells.pathOf('friend', 'reply-key.age')).load(secretOf(PASSPHRASE))
    const key = replyKeySchema.parse(kept)
    shells.write('friend', 'link.txt', `${replyLinkOf(key, 'https://console.example/reply')}\n`)
    for (const file of ['reply-key.age', 'link.txt']) {
      const opened = await typing.one(`svc inbox open reply.json --reply-key ${file}`, { as: 'friend' })
      expect(opened).toContain('You may.')
    }
    await typing.one('svc inbox delete MESSAGE --yes', MESSAGE)
    await typing.one('svc asset receipt ASSET --contract 0x0000000000000000000000000000000000000001 --token 7', ASSET)
    await typing.one('svc asset displaced ASSET', { ...ASSET, ends: 3 })
    await typing.one(`svc asset transfer ASSET ${DID} --yes`, ASSET)
  })

  it('of notes', async () => {
    await typing.one('svc note write --title Omelette --file recipe.txt')
    const { notes } = await shells.json<{ notes: { noteId: string }[] }>('me', 'svc note list')
    const NOTE = { with: { NOTE: notes[0]?.noteId ?? '' } }
    for (const line of [
      'write --over NOTE --file recipe.txt',
      'read NOTE',
      'read NOTE --number 1',
      'read NOTE --accept-ended',
      'history NOTE',
    ])
      await typing.one(`svc note ${line}`, NOTE)
    expect(await typing.one('svc note find milk')).toContain('Omelette')
    await typing.one('svc note find eggs milk --json')
    await typing.one('svc note share --all')
    await typing.one('svc note share NOTE', NOTE)
    await typing.one('svc note attach NOTE photo.jpg --type image/jpeg', NOTE)
    await typing.one('svc note file NOTE photo.jpg --out copy.jpg', NOTE)
    await typing.one('svc note file NOTE photo.jpg --range 0-99 --out start.jpg', NOTE)
    await typing.several('svc note list', 'svc note sync notes', 'svc note sync notes --dry-run', 'svc note check')
    await typing.several('svc note export --out notes.jsonl', 'svc note restore notes.jsonl')
    await typing.one('svc note delete NOTE --yes', NOTE)
  })

  it('of consent, registrations and payments', async () => {
    const page = `https://photos.example/${crypto.randomUUID()}.jpg`
    const PAGE = { with: { 'https://photos.example/1.jpg': page } }
    await typing.one('svc consent set https://photos.example/1.jpg --training disallow', PAGE)
    await typing.one('svc consent get https://photos.example/1.jpg', PAGE)
    await typing.one('svc consent history https://photos.example/1.jpg', PAGE)
    shells.write('me', 'identifiers.txt', `${page}\n`)
    await typing.several('svc consent batch identifiers.txt', 'svc consent batch - --json <identifiers.txt')
    await typing.one('svc consent snapshot https://photos.example/1.jpg', PAGE)
    await typing.one('svc consent revoke https://photos.example/1.jpg --yes', PAGE)
    await typing.one('svc capsule sign photo.jpg --mime image/jpeg')
    await typing.one('svc capsule sign photo.png --mime image/png --block')
    shells.write('me', 'idea.txt', 'an idea')
    await typing.several('svc commitment make idea.txt', 'svc commitment verify idea.txt.opening.json idea.txt')
    shells.write('me', 'proof.json', shells.read('me', 'photo.jpg.proof.json'))
    await typing.several(
      'svc capsule verify photo.jpg.proof.json photo.jpg --offline',
      'svc verify proof.json --file photo.jpg',
    )
    const { assetId } = JSON.parse(shells.read('me', 'proof.json')) as { assetId: string }
    await typing.one('svc capsule open ASSET', { with: { ASSET: assetId } })
    shells.write('me', 'vectors.json', JSON.stringify({ fragment: [Array<number>(256).fill(1)] }))
    await typing.one('svc capsule search vectors.json')
    await typing.one('svc capsule delete ASSET --yes', { with: { ASSET: assetId } })
    const words = Array.from({ length: 60 }, (_, i) => `harbour${i * i} ${crypto.randomUUID().slice(0, 8)}`)
    shells.write('me', 'essay.txt', words.join(' '))
    const printed = JSON.parse(await typing.one('svc text fingerprint essay.txt --json')) as { assetId: string }
    await typing.several('svc text register essay.txt', 'svc text search essay.txt')
    await typing.one('svc text delete TEXT --yes', { with: { TEXT: printed.assetId } })
    await typing.several(
      'svc pay offer',
      'svc pay offer --country DE',
      'svc pay status',
      'svc pay intent provenance-month',
    )
    const admin = ['scripts/operations/commands/admin.ts', 'code', 'provenance', '30', '--core', urls.core]
    const where = ['--pay', urls.pay, '--state', sharedAddress().stateDir]
    const issued = execFileSync(process.execPath, [...admin, ...where], { cwd: ROOT, encoding: 'utf8' })
    const [code = ''] = /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/.exec(issued) ?? []
    await typing.one('svc pay redeem CODE', { with: { CODE: code } })
    const { id } = await shells.json<{ id: string }>('me', 'svc pay intent atelier-month')
    const paid = new URLSearchParams({ id, outcome: 'pay' })
    await fetch(`${urls.pay}/pay/dev/checkout`, {
      method: 'POST',
      body: paid,
      headers: { origin: 'http://localhost:3000' },
    })
    await typing.one('svc pay change provenance-month')
  })

  it('are all of them', () => {
    expect(typing.left()).toEqual([])
  })
})
