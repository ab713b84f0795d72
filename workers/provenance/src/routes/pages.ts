import { defineOperation, type Operation } from '@svc/service'
import { bannerPage, endpointsPage, pageResponse } from '../pages/page.ts'
import { provenanceRoute } from '../route.ts'
import { PROVENANCE_VERSION } from '../version.ts'

const answer = { status: 200, description: 'A page without scripts', contentType: 'text/html' } as const
const cacheControl = 'public, max-age=300'

export const readFrontPage = defineOperation({
  id: 'readFrontPage',
  method: 'get',
  path: '/',
  summary: 'What this host is, for people',
  auth: 'none',
  cacheControl,
  answer,
})

export const readEndpointsPage = defineOperation({
  id: 'readEndpointsPage',
  method: 'get',
  path: '/api/docs',
  summary: 'The endpoints, for people',
  auth: 'none',
  cacheControl,
  answer,
})

export const PAGES = [readFrontPage, readEndpointsPage]

export const pageRoutes = (operations: readonly Operation[]) => [
  provenanceRoute(readFrontPage, () => pageResponse(bannerPage(PROVENANCE_VERSION))),
  provenanceRoute(readEndpointsPage, () =>
    pageResponse(
      endpointsPage(operations.map((operation) => ({ ...operation, method: operation.method.toUpperCase() }))),
    ),
  ),
]
