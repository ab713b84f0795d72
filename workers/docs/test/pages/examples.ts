/**
 * The marked examples of the pages. `<name>` as a whole string stands for a value of the page `vectors`.
 *
 * @module
 */
import type { Realms } from '@svc/protocol/base/realm'
import { PAGES } from '../../src/pages/pages.gen.ts'
import { pathOf } from '../../src/pages/pages.ts'
import { BASE, send } from '../harness.ts'

/** The realm of every example: the origin of core in them. */
export const REALMS: Realms = ['https://core.example']

interface Example {
  readonly page: string
  readonly language: string
  readonly name: string
  readonly text: string
}

/** As it is served to who asks for Markdown. */
async function textOf(path: string): Promise<string> {
  const response = await send(new Request(BASE + path))
  if (response.status !== 200) throw new Error(`${path} is answered with ${response.status}`)
  return response.text()
}

/** Without the references of the APIs, whose examples were recorded and whose links the site’s own tests follow. */
const WRITTEN = PAGES.filter(({ slug }) => !slug.startsWith('api-'))

const texts = await Promise.all(WRITTEN.map(async (page) => ({ page, markdown: await textOf(`${pathOf(page)}.md`) })))

export const pagesText = texts.map(({ markdown }) => markdown).join('\n')

export const EXAMPLES: readonly Example[] = texts.flatMap(({ page: { section, slug }, markdown }) =>
  [...markdown.matchAll(/^```(\w+) example=([a-z0-9-]+)( run)?\n([\s\S]*?)^```$/gm)].map((match) => ({
    page: `${section}/${slug}`,
    language: (match[1] ?? '') + (match[3] ?? ''),
    name: match[2] ?? '',
    text: match[4] ?? '',
  })),
)

function example(name: string): Example {
  const found = EXAMPLES.find((candidate) => candidate.name === name)
  if (!found) throw new Error(`no page has an example ${name}`)
  return found
}

export const vectors = JSON.parse(example('vectors').text) as Record<string, string>

export function vector(name: string): string {
  const found = vectors[name]
  if (found === undefined) throw new Error(`the page vectors has no ${name}`)
  return found
}

/** The JSON of an example with the long values put in. */
export function value(name: string): unknown {
  return JSON.parse(example(name).text, (_, member: unknown) => {
    const [, named] = typeof member === 'string' ? (/^<(\w+)>$/.exec(member) ?? []) : []
    return named === undefined ? member : vector(named)
  })
}
