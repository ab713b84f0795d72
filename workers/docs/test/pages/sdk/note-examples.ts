/**
 * The example of the page on notes, word for word.
 *
 * @module
 */
import { Client, type Fetch, Identity, ServiceError, VerificationError } from '@svc/client'
import * as names from '@svc/protocol/base/identity'
import { statementHash } from '@svc/protocol/base/statement'
import { blockHash, type SignedBlock } from '@svc/protocol/chain/chain'
import type { NoteVersion } from '@svc/protocol/notes/api'
import type { NoteSubmission } from '@svc/protocol/notes/notes'
import { expect } from 'vitest'
import { example, type SdkExample } from './sdk-example.ts'
import { smallCore } from './small-core.fixture.ts'

const T = 1_790_000_000_000

/** A core with one identity, which has no devices, and one note. */
function smallVault(): Fetch {
  const core = smallCore()
  const versions: NoteVersion[] = []
  let genesis: SignedBlock | undefined
  let file = new Uint8Array()
  const answer = (data: object) => Response.json({ success: true, data, timestamp: T })
  const write = (submission: NoteSubmission) => {
    const { noteId } = submission.statement.header
    const [version, recordHash] = [versions.length + 1, statementHash(submission.statement)]
    const appended = { noteId, version, seq: version, recordHash, acceptedAt: T }
    versions.push({ ...appended, ...submission })
    return answer(appended)
  }
  const founded = (block: SignedBlock) => {
    const userId = names.userIdOfKey(block.ownerPublicKey)
    return {
      did: names.didOf(userId),
      scope: userId,
      userId,
      block,
      commitment: null,
      hash: blockHash(block),
      createdAt: T,
    }
  }
  return async (url, init) => {
    const request = new Request(url, init)
    const { pathname, searchParams } = new URL(url)
    if (pathname === '/api/genesis/init') genesis = (await request.clone().json<{ block: SignedBlock }>()).block
    if (genesis && pathname.startsWith('/api/genesis/did:')) return answer(founded(genesis))
    if (genesis && pathname === '/api/inception/events')
      return answer({ events: [], next: null, head: { sequence: 0, hash: blockHash(genesis) } })
    if (!pathname.startsWith('/api/notes/')) return core(url, init)
    if (request.method === 'POST') return write(await request.json<NoteSubmission>())
    if (request.method === 'PUT') {
      file = new Uint8Array(await request.arrayBuffer())
      const [attachmentId = ''] = pathname.split('/').slice(-1)
      const cipherHash = searchParams.get('cipherHash')
      return answer({ attachmentId, cipherHash, bytes: file.length, seq: 3, addedAt: T })
    }
    return pathname.includes('/attachments/') ? new Response(file) : answer({ ...versions.at(-1), attachments: [] })
  }
}

export const NOTE_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-notes': example({
    lie: ({ body }) => {
      if (body instanceof Uint8Array) body[0] = (body[0] ?? 0) ^ 1
    },
    run: async (tell) => {
      const fetch = tell(smallVault())
      // example: sdk-notes
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity, fetch })
      let outcome = ''
      try {
        await client.chain.genesis()
        const first = await client.notes.put({ title: 'Omelette', body: 'eggs', tags: ['kitchen'] })
        const second = await client.notes.put({ ...first, body: 'eggs and milk' }, first)
        const photo = new Blob(['what it looks like']).stream()
        await client.notes.attach(second, { name: 'omelette.jpg', type: 'image/jpeg', bytes: photo })
        const note = await client.notes.get(first.noteId)
        const files: string[] = []
        for (const file of note.attachments) {
          const stream = await client.notes.attachmentStream(note.noteId, file)
          files.push(`${file.name}: ${await new Response(stream).text()}`)
        }
        outcome = `version ${note.version}: ${note.body}; ${files.join()}`
      } catch (error) {
        if (error instanceof VerificationError) outcome = `does not verify: ${error.reason}`
        else if (error instanceof ServiceError && error.error === 'storage_quota') outcome = 'the vault is full'
        else throw error
      }
      // end
      return outcome
    },
    honest: (outcome) => expect(outcome).toBe('version 3: eggs and milk; omelette.jpg: what it looks like'),
    lied: (outcome) => expect(outcome).toBe('does not verify: modified'),
  }),
}
