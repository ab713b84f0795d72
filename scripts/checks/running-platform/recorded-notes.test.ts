import { Client, type Fetch, Identity } from '@svc/client'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'
import { allBlocks } from '../examples/blocks.ts'

const { core } = sharedPlatform().urls as { readonly core: string }

/** The paths of a value's members: those of lists without their places. */
function membersOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => membersOf(item, `${path}[]`)))].toSorted()
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value)
    .flatMap(([name, member]) => membersOf(member, `${path}.${name}`))
    .toSorted()
}

it('the page on notes shows what is sent and answered', async () => {
  const exchanged = new Map<string, unknown>()
  let operation = ''
  const send: Fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (!new URL(url).pathname.startsWith('/api/notes/')) return response
    if (typeof init?.body === 'string' || init?.body instanceof Uint8Array)
      exchanged.set(`${operation}/request`, await new Response(init.body).json())
    exchanged.set(`${operation}/${response.status}`, await response.clone().json())
    return response
  }
  const client = await Client.connect({ core, fetch: send, identity: await Identity.create() })
  await client.chain.genesis()
  operation = 'appendNote'
  const note = await client.notes.put({ title: 'Omelette', body: 'eggs and milk', tags: ['kitchen'] })
  operation = 'listNotes'
  await client.notes.list()
  operation = 'readStorage'
  await client.notes.storage()
  operation = 'deleteNote'
  await client.notes.delete(note.noteId)

  const shown = allBlocks().flatMap(({ place, info, text }) => {
    const [, name] = /^json recorded=core\/(.+)$/.exec(info) ?? []
    return name === undefined || !place.includes('/notes.md:') ? [] : [[name, membersOf(JSON.parse(text))] as const]
  })
  expect(shown.map(([name]) => name).toSorted()).toEqual([...exchanged.keys()].toSorted())
  for (const [name, members] of shown) expect(members, name).toEqual(membersOf(exchanged.get(name)))
})
