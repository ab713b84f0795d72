import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@svc/client'
import { KeyFile } from '@svc/client/node'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runExample } from './running-example.ts'

const { core } = sharedPlatform().urls as { readonly core: string }
const PASSPHRASE = 'correct horse battery staple'
const folder = mkdtempSync(join(tmpdir(), 'svc-notes-'))
const [keys, markdown, backup] = [join(folder, 'keys'), join(folder, 'markdown'), join(folder, 'backup')]
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const notes = (command: string, at: string, env: Record<string, string> = { NOTES_PASSPHRASE: PASSPHRASE }) =>
  runExample('notes-backup/notes.ts', { args: [command, at, '--keys', keys, '--core', core], env })

/** The same vault, as another program of its owner has it. */
async function owner() {
  const identity = (await new KeyFile(join(keys, 'keys.json')).load(PASSPHRASE))?.identity
  if (!identity) throw new Error('no keys')
  return Client.connect({ core, identity })
}

beforeAll(() => cpSync(join(ROOT, 'examples/notes-backup/sample'), markdown, { recursive: true }))

it('asks for a passphrase before it makes keys', async () => {
  expect(await notes('import', markdown, { NOTES_PASSPHRASE: '' })).toEqual([
    1,
    'BackupError: Set NOTES_PASSPHRASE: it encrypts the keys',
  ])
})

it('imports a folder, and again only what changed', async () => {
  expect(await notes('import', markdown)).toEqual([0, '2 added, 0 changed, 0 unchanged'])
  writeFileSync(join(markdown, 'thursday.md'), '# Friday\n\nMoved.\n')
  expect(await notes('import', markdown)).toEqual([0, '0 added, 1 changed, 1 unchanged'])
  const client = await owner()
  const found = []
  for await (const { noteId } of client.notes.all()) found.push(await client.notes.get(noteId))
  expect(found.map(({ title, tags, version }) => [title, tags, version])).toEqual([
    ['Omelette', ['recipes'], 1],
    ['Friday', [], 2],
  ])
}, 60_000)

it('backs up everything, encrypted, and restores it', async () => {
  const client = await owner()
  const note = await client.notes.put({ title: 'With a file', body: '' })
  await client.notes.attach(note, { name: 'a.bin', type: 'application/octet-stream', bytes: new Uint8Array(1_000) })
  const [code, output] = await notes('backup', backup)
  expect([code, output]).toEqual([0, expect.stringContaining('2 files')])
  expect(readdirSync(backup).toSorted()).toEqual(['attachments', 'index.json', 'log.jsonl'])
  expect(readFileSync(join(backup, 'log.jsonl'), 'utf8')).not.toContain('Omelette')
  expect(await notes('verify', backup)).toEqual([0, expect.stringMatching(/^2 files are as they were written at /)])
  expect(await notes('restore', backup)).toEqual([0, '0 versions sent, 5 already there, 0 notes merged'])
  expect(await notes('backup', backup)).toEqual([1, `BackupError: ${backup} exists: name a new folder for each backup`])
}, 60_000)

it('refuses a backup that was damaged, cut or made to reach outside its folder', async () => {
  const damaged = (name: string, change: (at: string) => void) => {
    const at = join(folder, name)
    cpSync(backup, at, { recursive: true })
    change(at)
    return at
  }
  const [attachment = ''] = readdirSync(join(backup, 'attachments'))
  const flipped = damaged('flipped', (at) => writeFileSync(join(at, 'attachments', attachment), 'x'))
  const missing = damaged('missing', (at) => rmSync(join(at, 'log.jsonl')))
  const unfinished = damaged('unfinished', (at) => rmSync(join(at, 'index.json')))
  const reaching = damaged('reaching', (at) => {
    const index = JSON.parse(readFileSync(join(at, 'index.json'), 'utf8'))
    writeFileSync(join(at, 'index.json'), JSON.stringify({ ...index, files: { '../keys/keys.json': '' } }))
  })
  expect(await notes('verify', flipped)).toEqual([1, expect.stringContaining('was changed')])
  expect(await notes('restore', flipped)).toEqual([1, expect.stringContaining('was changed')])
  expect(await notes('verify', missing)).toEqual([1, expect.stringContaining('log.jsonl is missing')])
  expect(await notes('verify', unfinished)).toEqual([1, expect.stringContaining('not a complete backup')])
  expect(await notes('verify', reaching)).toEqual([1, expect.stringContaining('not a file of a backup')])
}, 60_000)
