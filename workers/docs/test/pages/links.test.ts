import { type ErrorName, errorEntry } from '@svc/protocol/http/errors'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../../src/pages/pages.gen.ts'
import { pagesText as text } from './examples.ts'

describe('the pages', () => {
  it('lead nowhere that is not there', () => {
    const pages = new Set(['/sdk', ...PAGES.map(({ section, slug }) => `/${section}/${slug}`)])
    // The site's own tests follow the anchors.
    const links = [...text.matchAll(/\]\((\/[^)#]*)/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !pages.has(link))).toEqual([])
  })

  it('give each named error the status of the table', () => {
    const named = [...text.matchAll(/\b([45]\d\d) `([A-Za-z][A-Za-z_ ]+)`/g)].map((match) => `${match[1]} ${match[2]}`)
    expect(named.length).toBeGreaterThan(40)
    for (const pair of named) expect(pair).toBe(`${errorEntry(pair.slice(4) as ErrorName)?.status} ${pair.slice(4)}`)
  })
})
