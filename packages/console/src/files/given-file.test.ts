import { describe, expect, it } from 'vitest'
import { sentenceOf } from '../failures/sentences.ts'
import { jsonIn, textIn } from './given-file.ts'

const latin1 = new Blob([new Uint8Array(Buffer.from('{"name":"Zoë"}', 'latin1'))])
const utf16 = new Blob([new Uint8Array(Buffer.from('\ufeff{"name":"Zoë"}', 'utf16le'))])

describe('a file that somebody chose', () => {
  it('is JSON in UTF-8 or UTF-16, and nothing else', async () => {
    expect(await jsonIn(new Blob(['{"name":"Zoë"}']))).toEqual({ name: 'Zoë' })
    expect(await jsonIn(utf16)).toEqual({ name: 'Zoë' })
    expect(await jsonIn(latin1)).toBeNull()
    expect(await jsonIn(new Blob(['name']))).toBeNull()
  })

  it('in another encoding is refused with a sentence of its own', async () => {
    const error = await textIn(latin1).catch((failure: unknown) => failure)
    expect(sentenceOf(error)).toBe('This file is not a text in UTF-8. Save it as UTF-8, or choose another file.')
  })
})
