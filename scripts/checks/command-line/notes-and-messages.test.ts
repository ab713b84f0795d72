/** Notes in a folder, messages to an owner, and keys in the directory, with `svc`. */
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformMachine } from './machine.ts'

const { urls, mail, secrets } = sharedPlatform()
const [owner, other] = [new PlatformMachine(), new PlatformMachine()]
afterAll(() => {
  owner.remove()
  other.remove()
})

const dids: string[] = []
beforeAll(async () => {
  for (const machine of [owner, other]) {
    await machine.json(`init --core ${urls.core}`)
    dids.push((await machine.json<{ did: string }>('id new')).did)
  }
}, 60_000)

describe('notes', () => {
  it('have versions, files, an export that is restored, and a receipt of their deletion', async () => {
    owner.write('recipe.txt', 'eggs')
    const { noteId } = await owner.json<{ noteId: string }>('note write --title Omelette --file recipe.txt')
    owner.write('recipe.txt', 'eggs and milk')
    await owner.json(`note write --over ${noteId} --file recipe.txt`)
    expect(await owner.json(`note read ${noteId} --number 1`)).toMatchObject({ body: 'eggs' })
    expect(await owner.json(`note read ${noteId}`)).toMatchObject({ body: 'eggs and milk', title: 'Omelette' })
    const photo = new Uint8Array(100_000).map((_, i) => i % 251)
    owner.write('photo.jpg', photo)
    await owner.json(`note attach ${noteId} photo.jpg --type image/jpeg`)
    expect(await owner.json(`note file ${noteId} photo.jpg`)).toMatchObject({
      type: 'image/jpeg',
      contentB64u: Buffer.from(photo).toString('base64url'),
    })
    expect(await owner.json(`note file ${noteId} photo.jpg --range 70000-70099`)).toMatchObject({
      bytes: 100,
      contentB64u: Buffer.from(photo.subarray(70_000, 70_100)).toString('base64url'),
    })
    for (const range of ['9-0', '5', 'x-y'])
      expect(await owner.failure(`note file ${noteId} photo.jpg --range ${range}`)).toBe('2 usage')
    expect(await owner.failure(`note file ${noteId} other.jpg`)).toBe('2 usage')
    expect(await owner.json(`note history ${noteId}`)).toHaveProperty('versions.length', 3)
    expect(await owner.json('note export --out notes.jsonl')).toMatchObject({ attachments: 1 })
    expect(await owner.failure('note export --out notes.jsonl')).toBe('2 usage')
    expect(await owner.json('note restore notes.jsonl')).toEqual({ restored: 0, present: 3, merged: [] })
    owner.write('cut.jsonl', owner.read('notes.jsonl').split('\n').slice(0, -2).join('\n'))
    expect(await owner.failure('note restore cut.jsonl')).toMatch(/^3 /)
    expect(await owner.json(`note delete ${noteId}`)).toMatchObject({ versions: 3, attachments: 1 })
    for (const how of ['', ' --offline'])
      expect(await owner.json(`verify ${noteId}.receipt.json${how}`)).toMatchObject({
        kind: 'receipt',
        verdict: 'valid',
      })
  })

  it('are found by their words, and listed with their titles', async () => {
    owner.write('pancakes.txt', 'flour, eggs\nand a lot of milk')
    owner.write('soup.txt', 'leek')
    const words = 'note write --title'
    const { noteId } = await owner.json<{ noteId: string }>(`${words} Pancakes --file pancakes.txt`)
    const { noteId: soup } = await owner.json<{ noteId: string }>(`${words} Soup --file soup.txt`)
    expect(await owner.json('note find MILK pancakes')).toEqual({
      notes: [{ noteId, title: 'Pancakes', excerpt: 'flour, eggs and a lot of milk' }],
      unread: 0,
    })
    expect(await owner.json('note find milk leek')).toEqual({ notes: [], unread: 0 })
    expect(await owner.json('note share --all')).toMatchObject({ shared: [], unread: 0 })
    await owner.json(`note delete ${soup}`)
    const { notes } = await owner.json<{ notes: { noteId: string; title: string | null }[] }>('note list')
    const titleOf = (id: string) => notes.find((note) => note.noteId === id)?.title
    expect([titleOf(noteId), titleOf(soup)]).toEqual(['Pancakes', null])
    await owner.json(`note delete ${noteId}`)
  })

  it('that are not there are refused by their id', async () => {
    const missing = 'A'.repeat(22)
    for (const words of [`read ${missing}`, `read ${missing} --number 2`, `history ${missing}`, `delete ${missing}`]) {
      const { code, stderr } = await owner.run(`note ${words}`)
      const { error } = JSON.parse(stderr) as { error: { code: string; message: string; next: string } }
      expect([code, error.code]).toEqual([5, 'not_found'])
      expect(error.message).toContain(`no note ${missing}`)
      expect(error.next).toContain('svc note list')
    }
  })

  it('and a folder are kept alike', async () => {
    owner.write('list.txt', 'milk')
    const { noteId } = await owner.json<{ noteId: string }>('note write --title Shopping --file list.txt')
    expect(await owner.json('note sync notes')).toMatchObject({ pulled: 1, pushed: 0 })
    expect(owner.read(`notes/${noteId}.md`)).toBe('# Shopping\n\nmilk')
    owner.write(`notes/${noteId}.md`, '# Shopping\n\nmilk, bread')
    owner.write('notes/ideas.md', 'no title')
    expect(await owner.json('note sync notes --dry-run')).toMatchObject({ pushed: 2 })
    expect(await owner.json('note sync notes')).toMatchObject({ pulled: 0, pushed: 2, concurrent: [] })
    expect(await owner.json(`note read ${noteId}`)).toMatchObject({
      version: 2,
      title: 'Shopping',
      body: 'milk, bread',
    })
    expect(await owner.json('note sync notes')).toMatchObject({ pulled: 0, pushed: 0, removed: 0 })
    // Both sides change: nothing is lost.
    owner.write('list.txt', 'elsewhere')
    await owner.json(`note write --over ${noteId} --file list.txt`)
    owner.write(`notes/${noteId}.md`, '# Shopping\n\nhere')
    expect(await owner.json('note sync notes')).toMatchObject({ pushed: 1, concurrent: [`${noteId}.md`] })
    expect(await owner.json(`note read ${noteId}`)).toMatchObject({ version: 4, body: 'here' })
    expect(await owner.json(`note read ${noteId} --number 3`)).toMatchObject({ body: 'elsewhere' })
    await owner.json(`note delete ${noteId}`)
    expect(await owner.json('note sync notes')).toMatchObject({ removed: 1 })
    expect(readdirSync(join(owner.home, 'notes')).filter((name) => name.endsWith('.md'))).toEqual(['ideas.md'])
    mkdirSync(join(other.home, 'notes'))
    other.write('notes/.svc-notes.json', owner.read('notes/.svc-notes.json'))
    expect(await other.failure('note sync notes')).toBe('2 usage')
  })
})

describe('a message', () => {
  const about = async () => {
    owner.write('picture.png', crypto.getRandomValues(new Uint8Array(64)))
    const { asset } = await owner.json<{ asset: { assetId: string } }>('asset mint picture.png --mime image/png')
    return asset.assetId
  }
  const from = () => `grace.${crypto.randomUUID()}@example.org`
  const words = (assetId: string, email: string) =>
    `inbox send ${assetId} --from ${email} --name Grace --subject Photo --file message.txt --challenge XXXX.DUMMY.TOKEN.XXXX`

  it('waits in a file for the code, and only its owner reads it', async () => {
    const assetId = await about()
    other.write('message.txt', 'May I print it?')
    expect(await other.failure(words(assetId, from()))).toBe('5 owner_unresolvable')
    await owner.json('did register')
    const email = from()
    const sent = await other.json<{ owner: string }>(
      `${words(assetId, email)} --owner ${dids[0]} --reply-key reply-key.age`,
      4,
    )
    expect(sent).toMatchObject({ owner: dids[0], ownerIs: 'pinned', deliveredAt: null })
    expect(statSync(join(other.home, 'reply-key.age')).mode & 0o777).toBe(0o600)
    expect(other.read('reply-key.age')).not.toContain('seed')
    expect(await other.failure(`${words(assetId, email)} --reply-key reply-key.age --out again.json`)).toBe('2 usage')
    expect(other.read('message.pending.json')).not.toContain('print')
    const code = await mail.codeIn(assetId)
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    expect(await other.failure(`inbox deliver message.pending.json ${wrong}`)).toBe('5 code_rejected')
    expect(await other.json(`inbox deliver message.pending.json ${code}`)).toMatchObject({ pending: null })
    const { messages } = await owner.json<{ messages: { msgId: string }[] }>('inbox list')
    const [message] = messages
    expect(await owner.json(`inbox read ${message?.msgId}`)).toMatchObject({
      message: 'May I print it?',
      assetId,
      sealedWith: 'x-wing',
      takesReply: true,
    })
    owner.write('answer.txt', 'You may.')
    const reply = `inbox reply ${message?.msgId} --file answer.txt`
    expect(await owner.json(`${reply} --out reply.json`)).toMatchObject({ to: email, content: null })
    expect(owner.read('reply.json')).not.toContain('You may')
    other.write('reply.json', owner.read('reply.json'))
    const open = 'inbox open reply.json --reply-key'
    expect(await other.json(`${open} reply-key.age`)).toMatchObject({ owner: dids[0], assetId, text: 'You may.' })
    const locked = await other.run(`${open} reply-key.age`, { descriptor: 'another passphrase' })
    expect([locked.code, locked.stderr]).toEqual([7, expect.stringContaining('"not_opened"')])
    expect(await other.failure(`${open} message.txt`)).toBe('3 malformed')
    const changed = JSON.parse(owner.read('reply.json')) as { envelope: { nonceB64u: string } }
    changed.envelope.nonceB64u = 'A'.repeat(16)
    other.write('reply.json', JSON.stringify(changed))
    expect(await other.failure(`${open} reply-key.age`)).toBe('3 modified')
    await owner.json(`inbox delete ${message?.msgId}`)
    expect(await owner.json('inbox list')).toEqual({ messages: [] })
  })

  it('is delivered at once by a person who types the code', async () => {
    const assetId = await about()
    const answers = [() => mail.codeIn(assetId)]
    const delivered = await other.json(`${words(assetId, from())} --out typed.json`, 0, { isTerminal: true, answers })
    expect(delivered).toMatchObject({ ownerIs: 'claimed', pending: null, replyKey: null })
    const { messages } = await owner.json<{ messages: { msgId: string }[] }>('inbox list')
    owner.write('answer.txt', 'You may.')
    expect(await owner.failure(`inbox reply ${messages[0]?.msgId} --file answer.txt`)).toBe('2 usage')
  })
})

describe('the key directory', () => {
  it('has the keys of the device, whose prekeys others reserve with proof', async () => {
    const published = await owner.json<{ deviceId: string; stock: { oneTime: number }[] }>(
      'directory publish --count 3',
    )
    const { deviceId } = published
    expect(published.stock).toMatchObject([{ oneTime: 3 }])
    expect(await owner.json('directory publish --add --count 2')).toMatchObject({ stock: [{ oneTime: 5 }] })
    const reserved = await other.json(`directory reserve ${dids[0]} ${deviceId} --key first`)
    expect(reserved).toMatchObject({ usedFallback: false, receipt: { statement: { requesterDid: dids[1] } } })
    expect(await other.json(`directory lookup ${dids[0]}`)).toMatchObject({ seq: 2, devices: [{ deviceId }] })
    await owner.json(`directory revoke ${deviceId}`)
    expect(await other.failure(`directory reserve ${dids[0]} ${deviceId}`)).toBe('5 package_revoked')
  })

  it('is audited, and cosigned by a witness', async () => {
    other.write('witness.seed', `${Buffer.from(secrets.witnessSeed).toString('hex')}\n`)
    chmodSync(join(other.home, 'witness.seed'), 0o644)
    expect(await other.failure('directory audit --cosign --seed witness.seed')).toBe('7 key_exposed')
    chmodSync(join(other.home, 'witness.seed'), 0o600)
    const audited = await other.json<{ witness: string; log: string; size: number }>(
      'directory audit --cosign --seed witness.seed',
    )
    expect(audited.witness).toMatch(/^[0-9a-f]{96}$/)
    const answer = await fetch(`${urls.keys}/api/transparency/checkpoint`)
    expect(await answer.text()).toContain(audited.witness)
  })
})
