import { describe, expect, it } from 'vitest'
import { stumbles } from './plain-words.ts'

const found = (text: string) => stumbles(text, (path) => path === 'docs/adr/0001.md').map((one) => one.found)

describe('stumbles', () => {
  it.each([
    ['// Document 2 section 4.7 names them', 'Document 2'],
    ['/** As many, says\n * document\n * 1. */', 'document * 1'],
    ['have signed: readings 21', 'readings 21'],
    ['see HOUSE.md', 'HOUSE.md'],
    ['see workers/docs/pages/developer/nothing.md', 'workers/docs/pages/developer/nothing.md'],
    ['for whoever asks', 'whoever'],
    ['to whomever it is sent', 'whomever'],
    ['an answer about another device is no answer', 'is no answer'],
    ['// An identity is\n  // no guardian of its own', 'is // no guardian'],
    ['Again is the same attachment.', 'Again is '],
    ['hashes, of which a page shows the beginning', 'of which'],
    ['the law of the chain', 'the law of'],
    ['The vault is as full as it may be', 'as full as it may be'],
    ['as many as may be', 'as many as may be'],
  ])('finds in %j: %j', (text, words) => expect(found(text)).toEqual([words]))

  it.each([
    'document 1 of 3',
    'There is no record of it, and it is no longer offered',
    'Try again: gives up after three times',
    'profiles, each of which occurs once',
    'as soon as possible, as the case may be',
    'see docs/adr/0001.md',
  ])('passes %j', (text) => expect(found(text)).toEqual([]))

  it('names the line and the reason, in the order of the text', () =>
    expect(stumbles('one\nreadings 3\n\nof which', () => true)).toEqual([
      { line: 2, found: 'readings 3', reason: 'cites a document that is not in the repository' },
      { line: 4, found: 'of which', reason: 'write what an engineer would say' },
    ]))
})
