import { describe, expect, it } from 'vitest'
import { freshCaller, sendWith } from '../harness.ts'
import { ask, freshCiphertext, freshName, noteBy, post, stored, vaultPath } from './notes.fixture.ts'

describe('the quota', () => {
  const quota = (bytes: number) => ({ fetch: sendWith({ NOTES_QUOTA_BYTES: bytes }) })

  it('is exact, and a ciphertext that the vault already has uses none of it', async () => {
    const author = await freshCaller()
    const ciphertext = freshCiphertext(100)
    const noteId = freshName()
    expect((await post(author, await noteBy(author, { noteId, ciphertext }), quota(99))).error).toBe('storage_quota')
    expect((await post(author, await noteBy(author, { noteId, ciphertext }), quota(100))).status).toBe(200)
    const more = await noteBy(author, { ciphertext: freshCiphertext(16) })
    expect(await post(author, more, quota(115))).toMatchObject({ status: 402, error: 'storage_quota' })
    const shared = await noteBy(author, { noteId, operation: 'update', ciphertext })
    expect((await post(author, shared, quota(100))).status).toBe(200)
    expect((await post(author, more, quota(116))).status).toBe(200)
    expect((await ask(author, 'GET', vaultPath(author, '/storage'))).data).toMatchObject({ bytesUsed: 116 })
  })

  it('is used by a deleted note until it is collected', async () => {
    const author = await freshCaller()
    const { statement } = await stored(author, { ciphertext: freshCiphertext(100) })
    await ask(author, 'DELETE', vaultPath(author, `/${statement.header.noteId}`))
    expect((await post(author, await noteBy(author), quota(163))).status).toBe(402)
    expect((await post(author, await noteBy(author), quota(164))).status).toBe(200)
  })
})
