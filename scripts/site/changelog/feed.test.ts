import { describe, expect, it } from 'vitest'
import { feedOf, releasesOf } from './feed.ts'
import { siteLinks } from './repository-pages.ts'

const CHANGED = '2027-03-01T10:00:00Z'
const changelog = (second: string) => `# Changelog

Newest first.

## [0.2.0] - ${second}

- A line with <b> & a [page](/developer/chain).

## [0.1.0] - 2027-01-31

The first.
`
const feedFor = (second: string) => feedOf(releasesOf(changelog(second)), CHANGED)
const idsOf = (feed: string) => [...feed.matchAll(/<id>(urn:.+)<\/id>/g)].map(([, id]) => id)

describe('the feed of the changelog', () => {
  it('has an entry for each version, newest first', () => {
    const feed = feedFor('2027-02-28')
    expect([...feed.matchAll(/<title>([^<]+)<\/title>/g)].map(([, title]) => title)).toEqual([
      'svc: changelog',
      '0.2.0',
      '0.1.0',
    ])
    expect([...feed.matchAll(/<updated>(.+)<\/updated>/g)].map(([, time]) => time)).toEqual([
      '2027-02-28T00:00:00Z',
      '2027-02-28T00:00:00Z',
      '2027-01-31T00:00:00Z',
    ])
    expect(feed).toContain('href="{origin}/developer/changelog#0-2-0-2027-02-28"')
  })

  it('has its text as escaped HTML with whole addresses', () => {
    expect(feedFor('2027-02-28')).toContain(
      '&lt;li&gt;A line with &amp;lt;b&amp;gt; &amp;amp; a &lt;a href=&quot;{origin}/developer/chain&quot;&gt;page&lt;/a&gt;',
    )
  })

  it('marks what is not released, under an id that the release does not have', () => {
    const before = feedFor('Unreleased')
    expect(before).toContain('<title>0.2.0 (not released yet)</title>')
    expect(before).toContain('<category term="unreleased"/>')
    expect(before).toContain(`<updated>${CHANGED}</updated>`)
    const after = feedFor('2027-03-02')
    expect(after).not.toContain('unreleased')
    expect(idsOf(after)[1]).toBe(idsOf(before)[1])
    expect(idsOf(after)[0]).not.toBe(idsOf(before)[0])
  })

  it('has ids that do not change, whatever the text and the day', () => {
    const [, first] = idsOf(feedFor('2027-02-28'))
    expect(first).toBe('urn:uuid:4df5f8e6-f88d-5690-af70-14078acc649c')
    expect(idsOf(feedFor('2027-02-27'))).toEqual(idsOf(feedFor('2027-02-28')))
  })

  it('is not made from a heading of another form', () => {
    expect(() => releasesOf('## 0.1.0\n')).toThrow("'0.1.0' must be like")
  })
})

describe('a link of a file of the repository', () => {
  it.each([
    ['CHANGELOG.md', '[a](packages/client/CHANGELOG.md)', '[a](/developer/changelog#svc-client)'],
    ['SECURITY.md', '[a](CHANGELOG.md)', '[a](/developer/changelog)'],
    ['SECURITY.md', '[a](workers/docs/pages/academic/threat-model.md#x)', '[a](/academic/threat-model#x)'],
    ['packages/client/CHANGELOG.md', '[a](../../SECURITY.md)', '[a](/developer/security-policy)'],
    ['SECURITY.md', '[a](https://semver.org) [b](#c) [d](/sdk)', '[a](https://semver.org) [b](#c) [d](/sdk)'],
  ])('of %s leads to the page: %s', (file, markdown, expected) => {
    expect(siteLinks(markdown, file)).toBe(expected)
  })

  it('that no page is made from is an error', () => {
    expect(() => siteLinks('[a](docs/architecture.md)', 'CHANGELOG.md')).toThrow('docs/architecture.md')
  })
})
