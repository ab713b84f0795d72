/** What `svc` writes and reads as an identity, against a running platform. */
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PlatformMachine } from './machine.ts'

const { core } = sharedPlatform().urls
const machine = new PlatformMachine()
afterAll(() => machine.remove())

beforeAll(async () => {
  await machine.json(`init --core ${core}`)
  await machine.json('id new --local')
  await machine.json('chain init')
}, 120_000)

it('writes and reads notes', async () => {
  machine.write('recipe.txt', 'eggs and milk')
  const { noteId } = await machine.json<{ noteId: string }>('note write --title Omelette --file recipe.txt')
  expect(await machine.json('note list')).toMatchObject({ notes: [{ noteId, version: 1 }] })
  expect(await machine.json(`note read ${noteId}`)).toMatchObject({ title: 'Omelette', body: 'eggs and milk' })
})

it('declares consent, and reads it as anybody', async () => {
  const identifier = `https://photos.example/${crypto.randomUUID()}.jpg`
  await machine.json(`consent set ${identifier} --training disallow`)
  await machine.json(`consent set ${identifier} --search allow`)
  const preferences = { ai_training: 'disallow', search: 'allow' }
  expect(await machine.json(`consent get ${identifier}`)).toMatchObject({ preferences })
  expect(await machine.json(`consent history ${identifier}`)).toHaveProperty('acts.length', 2)
  machine.write('identifiers.txt', `${identifier}\n\n${identifier}?other\n`)
  const found = { hash: identifier, found: true, preferences }
  const batch = await machine.json('consent batch identifiers.txt')
  expect(batch).toMatchObject({ results: [found, { hash: `${identifier}?other`, found: false }] })
  machine.write('short.txt', 'short')
  expect(await machine.failure('consent batch short.txt')).toBe('2 usage')
  await machine.json(`consent revoke ${identifier}`)
  expect(await machine.json(`consent get ${identifier}`)).toMatchObject({ found: false })
})

it('registers a file, whose proof verifies with it and without a network', async () => {
  machine.write('photo.jpg', crypto.getRandomValues(new Uint8Array(512)))
  const { assetId } = await machine.json<{ assetId: string }>('capsule sign photo.jpg --mime image/jpeg')
  expect(await machine.json('verify photo.jpg')).toMatchObject({ kind: 'proof', verdict: 'valid' })
  expect(await machine.json('capsule verify photo.jpg.proof.json photo.jpg --offline')).toMatchObject({
    verdict: 'valid',
  })
  machine.write('other.jpg', 'another')
  expect((await machine.run('verify photo.jpg.proof.json --file other.jpg --offline')).code).toBe(3)
  expect((await machine.run('verify other.jpg')).code).toBe(4)
  expect(await machine.json(`capsule open ${assetId}`)).toMatchObject({ capsule: { assetId } })
  await machine.json(`capsule delete ${assetId}`)
  expect((await machine.run('verify photo.jpg')).code).toBe(4)
})

it('finds a file that was anchored to be found, by itself and by its hash', async () => {
  machine.write('plan.pdf', crypto.getRandomValues(new Uint8Array(300)))
  const { root } = await machine.json<{ root: string }>('anchor stamp plan.pdf --findable')
  await machine.json('anchor upgrade plan.pdf.anchor.json --wait')
  const { did } = await machine.json<{ did: string }>('whoami')
  for (const what of ['plan.pdf', root])
    expect(await machine.json(`verify ${what}`)).toMatchObject({ kind: 'anchor', verdict: 'valid', did })
})

it('finds a blind anchor with its stamp only, which the library has', async () => {
  machine.write('will.pdf', crypto.getRandomValues(new Uint8Array(300)))
  const first = await machine.json<{ root: string }>('anchor stamp will.pdf')
  expect(first).toMatchObject({ isFindable: false, inLibrary: true })
  expect((await machine.run('verify will.pdf')).code).toBe(4)
  expect(await machine.json('anchor find will.pdf --out found.json')).toMatchObject({ root: first.root })
  // An interrupted stamp goes on with its nonce.
  expect(await machine.json('anchor stamp will.pdf')).toMatchObject({ root: first.root })
  await machine.json('anchor upgrade found.json --wait')
  expect(await machine.json('anchor verify found.json will.pdf')).toMatchObject({ verdict: 'valid' })
  const { notes } = await machine.json<{ notes: { noteId: string }[] }>('note list')
  expect(notes.filter(({ noteId }) => noteId.startsWith('stamp-'))).toEqual([])
  expect(await machine.failure('anchor find photo.jpg')).toBe('4 unknown')
})

it('registers the fingerprint of a text, and finds it by a part', async () => {
  // No word of it is in a text that another test registers.
  const text = Array.from({ length: 90 }, () => crypto.randomUUID().replaceAll('-', ' '))
  machine.write('essay.txt', text.join(' '))
  machine.write('part.txt', text.slice(30, 80).join(' '))
  const { assetId } = await machine.json<{ assetId: string }>('text fingerprint essay.txt')
  expect(await machine.json('text register essay.txt')).toMatchObject({ asset_id: assetId })
  expect(await machine.json('text search part.txt')).toMatchObject({ matches: [{ asset_id: assetId }] })
  await machine.json(`text delete ${assetId}`)
  expect(await machine.json('text search part.txt')).toEqual({ matches: [] })
  machine.write('short.txt', 'two words')
  expect(await machine.failure('text fingerprint short.txt')).toBe('2 usage')
})

it('shows what is used and offered', async () => {
  const { meters } = await machine.json<{ meters: { kind: string; used: number }[] }>('quota')
  expect(meters.find(({ kind }) => kind === 'capsule')).toMatchObject({ used: 2 })
  const { offers } = await machine.json<{ offers: unknown[] }>('pay offer')
  expect(offers.length).toBeGreaterThan(0)
  expect(await machine.json('pay status')).toHaveProperty('tier')
  expect(await machine.json('pay intent provenance-month --country DE')).toMatchObject({ state: 'open' })
})

it('audits the log of the directory, and goes on from there', async () => {
  const first = await machine.json<{ log: string; size: number }>('directory audit')
  expect(await machine.json<{ log: string; size: number }>('directory audit')).toMatchObject({
    log: first.log,
    updates: 0,
  })
})

it('says what it would do, and does nothing', async () => {
  machine.write('draft.txt', 'a draft that nobody sends')
  const before = await machine.json<{ index: string }>('chain head')
  for (const words of [
    'chain append',
    'note write',
    'capsule sign draft.txt --mime image/png',
    'anchor stamp draft.txt',
  ])
    expect(await machine.json(`${words}${words.includes('draft') ? '' : ' --file draft.txt'} --dry-run`)).toMatchObject(
      {
        dryRun: true,
      },
    )
  expect(await machine.json('rotate start --dry-run')).toMatchObject({ dryRun: true, epoch: 1 })
  expect(await machine.json('chain head')).toEqual(before)
})

it('does not begin what it could not keep', async () => {
  machine.write('draft.txt.anchor.json', 'mine')
  expect(await machine.failure('anchor stamp draft.txt')).toBe('2 usage')
  expect(machine.read('draft.txt.anchor.json')).toBe('mine')
})

it('sends signed requests to services of the deployment only', async () => {
  expect(await machine.json('request GET /api/chain/head --aud chain')).toMatchObject({
    status: 200,
    body: { success: true },
  })
  const { code, stderr } = await machine.run('request GET https://elsewhere.example/ --aud chain')
  expect(code).toBe(2)
  expect(stderr).toContain('is not a service of this deployment')
})
