import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { PAGES } from '../pages/pages.gen.ts'
import { indexPage, pathOf, SECTIONS, sitemap } from '../pages/pages.ts'
import { docsRoute } from '../route.ts'

const CACHE_CONTROL = 'public, max-age=300'
const slugParams = z.strictObject({ slug: z.string().regex(/^[a-z0-9-]{1,64}$/, 'must be a page name') })

const html = (id: string, path: string, summary: string) =>
  defineOperation({
    id,
    method: 'get',
    path,
    summary,
    auth: 'none',
    cacheControl: CACHE_CONTROL,
    answer: { status: 200, description: 'The index', contentType: 'text/html' },
  })
export const readHome = html('readHome', '/', 'The sections')
const sectionIndex = {
  developer: html('readDeveloper', '/developer', 'Developer pages'),
  academic: html('readAcademic', '/academic', 'Academic pages'),
}

const page = (id: string, path: string) =>
  defineOperation({
    id,
    method: 'get',
    path,
    summary: 'One page as Markdown',
    auth: 'none',
    params: slugParams,
    cacheControl: CACHE_CONTROL,
    answer: { status: 200, description: 'The page', contentType: 'text/markdown' },
    errors: ['not_found', 'dependency_unavailable'],
  })
const sectionPage = {
  developer: page('readDeveloperPage', '/developer/{slug}'),
  academic: page('readAcademicPage', '/academic/{slug}'),
}

export const readSitemap = defineOperation({
  id: 'readSitemap',
  method: 'get',
  path: '/sitemap.xml',
  summary: 'Every page',
  auth: 'none',
  cacheControl: CACHE_CONTROL,
  answer: { status: 200, description: 'The sitemap', contentType: 'application/xml' },
})
export const readRobots = defineOperation({
  id: 'readRobots',
  method: 'get',
  path: '/robots.txt',
  summary: 'Crawler directives',
  auth: 'none',
  cacheControl: CACHE_CONTROL,
  answer: { status: 200, description: 'Directives', contentType: 'text/plain' },
})

function text(body: string | ArrayBuffer, type: string): Response {
  return new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } })
}

export const pageRoutes = [
  docsRoute(readHome, () =>
    text(
      indexPage(
        'Documentation',
        SECTIONS.map((section) => ({ href: `/${section}`, text: section })),
      ),
      'text/html',
    ),
  ),
  ...SECTIONS.flatMap((section) => [
    docsRoute(sectionIndex[section], () => {
      const links = PAGES.filter((entry) => entry.section === section).map((entry) => ({
        href: pathOf(entry),
        text: entry.title,
      }))
      return text(indexPage(section, links), 'text/html')
    }),
    docsRoute(sectionPage[section], async ({ params, deps }) => {
      const found = PAGES.find((entry) => entry.section === section && entry.slug === params.slug)
      if (!found) throw new ApiError('not_found')
      return text(await deps.pages.read(found), 'text/markdown')
    }),
  ]),
  docsRoute(readSitemap, ({ deps }) => {
    const paths = ['/', ...SECTIONS.map((section) => `/${section}`), ...PAGES.map(pathOf)]
    return text(sitemap(deps.config.PUBLIC_ORIGINS[0] ?? '', paths), 'application/xml')
  }),
  docsRoute(readRobots, ({ deps }) =>
    text(`User-agent: *\nAllow: /\nSitemap: ${deps.config.PUBLIC_ORIGINS[0] ?? ''}/sitemap.xml\n`, 'text/plain'),
  ),
]
