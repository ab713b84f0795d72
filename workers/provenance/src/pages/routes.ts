import { defineOperation, type Operation } from '@svc/service'
import { PROVENANCE_DESCRIPTION, provenanceRoute } from '../service.ts'
import { bannerPage, endpointsPage, pageResponse } from './page.ts'

const answer = { status: 200, description: 'A page without scripts', contentType: 'text/html' } as const
const cacheControl = 'public, max-age=300'

export const readFrontPage = defineOperation({
  id: 'readFrontPage',
  method: 'get',
  path: '/',
  summary: 'Show the front page of this host',
  description: 'For people who open the host in a browser. May be cached for 300 seconds.',
  auth: 'none',
  cacheControl,
  answer,
})

export const readEndpointsPage = defineOperation({
  id: 'readEndpointsPage',
  method: 'get',
  path: '/api/docs',
  summary: 'Show the endpoints',
  description:
    'A table for people, made from the live routes. Programs read `/openapi.json` or `/api/capabilities`. May be ' +
    'cached for 300 seconds.',
  auth: 'none',
  cacheControl,
  answer,
})

export const PAGES = [readFrontPage, readEndpointsPage]

export const pageRoutes = (operations: readonly Operation[]) => [
  provenanceRoute(readFrontPage, () => pageResponse(bannerPage(PROVENANCE_DESCRIPTION.version))),
  provenanceRoute(readEndpointsPage, () =>
    pageResponse(
      endpointsPage(operations.map((operation) => ({ ...operation, method: operation.method.toUpperCase() }))),
    ),
  ),
]
