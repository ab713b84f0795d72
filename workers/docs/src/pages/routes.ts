import { ApiError, type DeclaredAnswer, defineOperation, IMMUTABLE } from '@svc/service'
import * as z from 'zod'
import { docsRoute } from '../service.ts'
import { PAGES } from './pages.gen.ts'
import { pathOf, SECTIONS } from './pages.ts'
import { asset, found, htmlOrMarkdown, served, TYPES, textOf, withOrigin } from './serving.ts'

const CACHE_CONTROL = 'public, max-age=300'
const slugParams = z.strictObject({ slug: z.string().regex(/^[a-z0-9-]{1,64}(?:\.md)?$/, 'must be a page name') })
const fileParams = z.strictObject({
  file: z.string().regex(/^[a-z0-9-]{1,64}\.(?:css|js|json|svg|png|jpg)$/, 'must be a file name'),
})

const sdkParams = z.strictObject({
  kind: z.string().regex(/^[a-z]{1,32}$/, 'must be a kind of export'),
  page: z.string().regex(/^[A-Za-z0-9_.-]{1,120}\.(?:html|css|js|svg)$/, 'must be a file name'),
})

const sectionParams = z.strictObject({
  file: z.string().regex(/^[a-z0-9-]{1,64}\.txt$/, 'must be a file name'),
})

const ASSET_TYPES = Object.values(TYPES).filter((type) => type !== 'text/html')
const SDK_TYPES = ['text/html', 'text/css', 'text/javascript', 'image/svg+xml']

const answer = (contentType: string, description: string): DeclaredAnswer => ({ status: 200, contentType, description })
const unchanged = (contentType: string): DeclaredAnswer => ({
  status: 304,
  contentType,
  description: 'If-None-Match matches the current content',
})

interface StaticFacts {
  readonly id: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly contentType: string
}

const staticOperation = ({ contentType, description, ...named }: StaticFacts) =>
  defineOperation({
    ...named,
    method: 'get',
    description: `${description} May be cached for 300 seconds, then asked for again with If-None-Match.`,
    auth: 'none',
    cacheControl: CACHE_CONTROL,
    answer: { status: 200, description: named.summary, contentType },
    otherAnswers: [unchanged(contentType)],
    errors: ['dependency_unavailable'],
  })
/** The answers of what is HTML or Markdown. */
const AS_HTML_OR_MARKDOWN = {
  answer: { status: 200, description: 'The page', contentType: 'text/html' },
  otherAnswers: [answer('text/markdown', 'The page as Markdown'), unchanged('text/html'), unchanged('text/markdown')],
} as const

export const readHome = defineOperation({
  id: 'readHome',
  method: 'get',
  path: '/',
  summary: 'The home page',
  description:
    'Where a person starts: what the platform is for, and a first program. As HTML, or as Markdown if Accept prefers ' +
    '`text/markdown`. May be cached for 300 seconds, then asked for again with If-None-Match.',
  auth: 'none',
  cacheControl: CACHE_CONTROL,
  ...AS_HTML_OR_MARKDOWN,
  errors: ['dependency_unavailable'],
})
const sectionIndex = {
  developer: staticOperation({
    id: 'readDeveloper',
    path: '/developer',
    summary: 'Developer pages',
    description: 'The contents of the section: how to use the SDK and every route, and how to run the services.',
    contentType: 'text/html',
  }),
  academic: staticOperation({
    id: 'readAcademic',
    path: '/academic',
    summary: 'Academic pages',
    description: 'The contents of the section: what the protocol proves, to whom, and against which attacks.',
    contentType: 'text/html',
  }),
}
export const readLlms = staticOperation({
  id: 'readLlms',
  path: '/llms.txt',
  summary: 'Every page with its summary',
  description: 'For a language model that then reads the pages it needs, as Markdown.',
  contentType: 'text/plain',
})
export const readLlmsFull = staticOperation({
  id: 'readLlmsFull',
  path: '/llms-full.txt',
  summary: 'Most pages in one',
  description:
    'For a language model with room for it. Its first lines name what is left out: the API references, pages of test ' +
    'vectors, the longest tables and values. `/llms.txt` is the short list.',
  contentType: 'text/plain',
})
export const readLlmsSection = defineOperation({
  id: 'readLlmsSection',
  method: 'get',
  path: '/llms/{file}',
  summary: 'Pages of a group in one',
  description:
    'For a language model: the pages of one group of the contents, or the reference of one API, complete, in at most ' +
    '150,000 bytes. `/llms.txt` lists the files. May be cached for 300 seconds, then asked for again with If-None-Match.',
  auth: 'none',
  params: sectionParams,
  cacheControl: CACHE_CONTROL,
  answer: { status: 200, description: 'The pages as Markdown', contentType: 'text/plain' },
  otherAnswers: [unchanged('text/plain')],
  errors: ['not_found', 'dependency_unavailable'],
})

const page = (id: string, path: string) =>
  defineOperation({
    id,
    method: 'get',
    path,
    summary: 'Read a page',
    description: 'As HTML, or as Markdown if the name ends in `.md` or Accept prefers `text/markdown`.',
    auth: 'none',
    params: slugParams,
    cacheControl: CACHE_CONTROL,
    ...AS_HTML_OR_MARKDOWN,
    errors: ['not_found', 'dependency_unavailable'],
  })
const sectionPage = {
  developer: page('readDeveloperPage', '/developer/{slug}'),
  academic: page('readAcademicPage', '/academic/{slug}'),
}

export const readAsset = defineOperation({
  id: 'readAsset',
  method: 'get',
  path: '/assets/{file}',
  summary: 'Read a file that pages load',
  description: 'Its name changes with its content.',
  auth: 'none',
  params: fileParams,
  // The name of a file changes with its content.
  cacheControl: IMMUTABLE,
  answer: { status: 200, description: 'The file', contentType: 'text/css' },
  otherAnswers: ASSET_TYPES.flatMap((type) => [
    ...(type === 'text/css' ? [] : [answer(type, 'The file')]),
    unchanged(type),
  ]),
  errors: ['not_found', 'dependency_unavailable'],
})

export const readSdkReference = staticOperation({
  id: 'readSdkReference',
  path: '/sdk',
  summary: 'The reference of the SDK',
  description: 'What each published module exports, from its docstrings.',
  contentType: 'text/html',
})
export const readSdkPage = defineOperation({
  id: 'readSdkPage',
  method: 'get',
  path: '/sdk/{kind}/{page}',
  summary: 'Read a page of the SDK reference',
  description:
    'One page for each export, in a folder for its kind, such as `classes`; `assets` has what the pages load.',
  auth: 'none',
  params: sdkParams,
  cacheControl: CACHE_CONTROL,
  answer: { status: 200, description: 'The page', contentType: 'text/html' },
  otherAnswers: SDK_TYPES.flatMap((type) => [
    ...(type === 'text/html' ? [] : [answer(type, 'The file')]),
    unchanged(type),
  ]),
  errors: ['not_found', 'dependency_unavailable'],
})

export const readSitemap = staticOperation({
  id: 'readSitemap',
  path: '/sitemap.xml',
  summary: 'Every page',
  description: 'For search engines: the address of each page, with the day of its last change if the build knows it.',
  contentType: 'application/xml',
})
export const readChangelogFeed = staticOperation({
  id: 'readChangelogFeed',
  path: '/changelog.xml',
  summary: 'The changelog as a feed',
  description: 'Atom, for feed readers: one entry for each version. The ids of entries do not change.',
  contentType: 'application/atom+xml',
})
export const readRobots = defineOperation({
  id: 'readRobots',
  method: 'get',
  path: '/robots.txt',
  summary: 'Crawler directives',
  description: 'Allows every crawler and names the sitemap. May be cached for 300 seconds.',
  auth: 'none',
  cacheControl: CACHE_CONTROL,
  answer: { status: 200, description: 'Directives', contentType: 'text/plain' },
})

export const pageRoutes = [
  docsRoute(readHome, ({ deps, headers }) => htmlOrMarkdown('/index', deps, headers)),
  ...SECTIONS.flatMap((section) => [
    docsRoute(sectionIndex[section], async ({ deps, headers }) =>
      served(withOrigin(await deps.pages.read(`/${section}.html`), deps), 'text/html', headers),
    ),
    docsRoute(sectionPage[section], async ({ params, deps, headers }) => {
      const [slug = '', twin] = params.slug.split('.')
      const listed = PAGES.find((entry) => entry.section === section && entry.slug === slug)
      if (!listed) throw new ApiError('not_found')
      return htmlOrMarkdown(pathOf(listed), deps, headers, twin !== undefined)
    }),
  ]),
  docsRoute(readLlms, async ({ deps, headers }) => served(await deps.pages.read('/llms.txt'), 'text/plain', headers)),
  docsRoute(readLlmsFull, async ({ deps, headers }) =>
    served(await deps.pages.read('/llms-full.txt'), 'text/plain', headers),
  ),
  docsRoute(readLlmsSection, async ({ params: { file }, deps, headers }) =>
    served(textOf(await found(`/llms/${file}`, deps.pages), deps), 'text/plain', headers),
  ),
  docsRoute(readAsset, ({ params: { file }, deps, headers }) => asset(`/assets/${file}`, deps, headers)),
  docsRoute(readSdkReference, async ({ deps, headers }) =>
    served(await deps.pages.read('/sdk.html'), 'text/html', headers),
  ),
  docsRoute(readSdkPage, ({ params: { kind, page: file }, deps, headers }) =>
    asset(`/sdk/${kind}/${file}`, deps, headers),
  ),
  docsRoute(readSitemap, async ({ deps, headers }) =>
    served(withOrigin(await deps.pages.read('/sitemap.xml'), deps), 'application/xml', headers),
  ),
  docsRoute(readChangelogFeed, async ({ deps, headers }) =>
    served(withOrigin(await deps.pages.read('/changelog.xml'), deps), 'application/atom+xml', headers),
  ),
  docsRoute(
    readRobots,
    ({ deps }) =>
      new Response(`User-agent: *\nAllow: /\nSitemap: ${deps.config.PUBLIC_ORIGINS[0] ?? ''}/sitemap.xml\n`, {
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      }),
  ),
]
