import { route, type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import type { Services } from './services.ts'

/** Of every answer. */
export const CONTENT_POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'self'"

export const DOCS_DESCRIPTION: ServiceDescription = {
  service: 'docs',
  version: '1.0.1',
  title: 'Documentation host',
  summary:
    'This documentation, as web pages and as Markdown: guides, concepts, the protocol and a reference of every API.',
  shape: SIBLING_SHAPE,
  origins: () => 'none',
  securityHeaders: { 'content-security-policy': CONTENT_POLICY },
  isReadOnly: true,
  refusalPages: [404, 405],
}

/** Binds an operation of this Worker to its handler. */
export const docsRoute = route<Services>()
