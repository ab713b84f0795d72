/**
 * The changelog as an Atom feed (RFC 4287), one entry for each version. The service replaces `{origin}`.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { escapeHtml } from '../code-blocks.ts'
import { anchorOf } from '../markdown.ts'
import { CHANGELOG, siteLinks } from './repository-pages.ts'

const PAGE = '{origin}/developer/changelog'
/** Of version 5 UUIDs over addresses (RFC 9562). */
const NAMESPACE_URL = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')

export interface Release {
  readonly version: string
  /** A day, or null before the release. */
  readonly date: string | null
  /** As in the file: `[0.1.0] - Unreleased`. */
  readonly heading: string
  readonly markdown: string
}

/** The versions of a changelog in the form of Keep a Changelog, newest first. */
export function releasesOf(changelog: string): Release[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      const [, version, , day] = /^\[([^\]]+)\]( - (?:(\d{4}-\d\d-\d\d)|Unreleased))?$/.exec(heading) ?? []
      if (version === undefined) throw new Error(`${CHANGELOG}: '${heading}' must be like '[1.2.3] - 2027-01-31'`)
      return { version, date: day ?? null, heading, markdown: lines.join('\n').trim() }
    })
}

export function changelogFeed(root: string): string {
  const changelog = readFileSync(join(root, CHANGELOG), 'utf8')
  return feedOf(releasesOf(siteLinks(changelog, CHANGELOG)), lastChange(root))
}

/** `changed` is the time of an entry that is not released yet. */
export function feedOf(releases: readonly Release[], changed: string): string {
  const updated = releases.map(({ date }) => timeOf(date, changed)).toSorted()
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>{origin}/changelog.xml</id>
<title>svc: changelog</title>
<updated>${updated.at(-1) ?? changed}</updated>
<author><name>svc</name></author>
<link rel="self" type="application/atom+xml" href="{origin}/changelog.xml"/>
<link rel="alternate" type="text/html" href="${PAGE}"/>
${releases.map((release) => entryOf(release, changed)).join('\n')}
</feed>
`
}

function entryOf({ version, date, heading, markdown }: Release, changed: string): string {
  const time = timeOf(date, changed)
  const html = new MarkdownIt({ html: false })
    .render(markdown)
    .replaceAll(' href="/', ' href="{origin}/')
    .replaceAll(' href="#', ` href="${PAGE}#`)
  return `<entry>
<id>${entryId(version, date !== null)}</id>
<title>${escapeHtml(version)}${date === null ? ' (not released yet)' : ''}</title>
<updated>${time}</updated>
${date === null ? '<category term="unreleased"/>' : `<published>${time}</published>`}
<link rel="alternate" type="text/html" href="${PAGE}#${anchorOf(heading)}"/>
<content type="html">${escapeHtml(html)}</content>
</entry>`
}

/**
 * The same at every deployment. A release is another entry than the notes before it, because readers do not announce an
 * entry again that they have shown.
 */
function entryId(version: string, isReleased: boolean): string {
  const name = `svc/changelog/${isReleased ? '' : 'unreleased/'}${version}`
  const bytes = createHash('sha1').update(NAMESPACE_URL).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}

const timeOf = (date: string | null, changed: string) => (date === null ? changed : `${date}T00:00:00Z`)

/** The time of the last commit to the changelog; that of the file without a Git history. */
function lastChange(root: string): string {
  try {
    const args = ['log', '-1', '--format=%ct', '--', CHANGELOG]
    const seconds = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    if (/^\d+\n$/.test(seconds)) return inSeconds(Number(seconds) * 1_000)
  } catch {
    // No Git, or no repository.
  }
  return inSeconds(statSync(join(root, CHANGELOG)).mtimeMs)
}

const inSeconds = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
