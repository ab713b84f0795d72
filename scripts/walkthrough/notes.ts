import type { ArchivedItem } from '@svc/client'
import { named, type Show, type World } from './world.ts'

/** Encrypted notes: writing, changing, attaching a file, exporting, restoring and deleting. */
export async function notes({ alice, bob, core }: World, show: Show): Promise<void> {
  const { notes: mine } = alice.client
  const note = await mine.put({ title: 'Recipe', body: 'eggs', tags: ['kitchen'] })
  await show('alice: writes a note and changes it', 'version 2: eggs and milk', async () => {
    await mine.put({ title: 'Recipe', body: 'eggs and milk' }, note)
    const { version, body } = await mine.get(note.noteId)
    return `version ${version}: ${body}`
  })
  await show('alice: reads the earlier version', 'eggs', async () => (await mine.get(note.noteId, 1)).body)
  const bytes = new Uint8Array(300_000).map((_, i) => i % 251)
  await show('alice: attaches a file and reads a range of it', 'photo.jpg, 100 bytes from 70000', async () => {
    await mine.attach(await mine.get(note.noteId), { name: 'photo.jpg', type: 'image/jpeg', bytes })
    const [file] = (await mine.get(note.noteId)).attachments
    if (!file) return 'no file'
    const part = await mine.attachment(note.noteId, file, { start: 70_000, end: 70_100 })
    const isSame = part.every((byte, i) => byte === bytes[70_000 + i])
    return isSame ? `${file.name}, ${part.length} bytes from 70000` : 'other bytes'
  })
  let cursor = ''
  await show('alice: lists her notes', '1 note, version 3', async () => {
    const index = await mine.list()
    cursor = index.cursor
    return `${index.notes.length} note, version ${index.notes[0]?.version}`
  })
  const kept: ArchivedItem[] = []
  await show('alice: exports everything, with proof of completeness', '1 page and 1 file', async () => {
    for await (const item of mine.export()) kept.push(item)
    const pages = kept.filter(({ kind }) => kind === 'page').length
    return `${pages} page and ${kept.length - pages} file`
  })
  await show('alice: restores it, which resends nothing', '0 sent, 3 present', async () => {
    const { restored, present } = await mine.restore(kept)
    return `${restored} sent, ${present} present`
  })
  await show('must fail: an incomplete export', 'noticed', async () => {
    const cut = kept.map((item) =>
      item.kind === 'page' ? { ...item, page: { ...item.page, entries: item.page.entries.slice(1) } } : item,
    )
    return mine.restore(cut).then(
      () => 'taken',
      () => 'noticed',
    )
  })
  await show('must fail: bob reads alice’s vault', '403 owner_mismatch', async () => {
    const url = `${core}/api/notes/${alice.identity.did}`
    const method = 'GET'
    const authorization = await bob.identity.assertion({ audience: 'notes', method, url, now: Date.now() })
    const response = await fetch(url, { headers: { authorization } })
    return `${response.status} ${((await response.json()) as { error: string }).error}`
  })
  await show('must fail: a title that is not encrypted', '400 plaintext_rejected', async () => {
    const submission = { title: 'Recipe', statement: {}, signatureB64u: '', ciphertextB64u: '' }
    return mine.send(submission as never).then(() => 'taken', named)
  })
  await show('alice: deletes it and gets a receipt', '3 versions, 1 file', async () => {
    const { versions, attachments } = (await mine.delete(note.noteId)).statement
    return `${versions} versions, ${attachments} file`
  })
  await show('alice: another client sees the deletion', 'tombstoned', async () => {
    return (await mine.list({ cursor })).notes[0]?.status ?? 'nothing'
  })
  await show('alice: checks the store', '0 differences, 4 wait', async () => {
    const { differences } = await mine.rebuild({ dryRun: true })
    const { waiting } = await mine.collect()
    return `${differences} differences, ${waiting.objects} wait`
  })
}
