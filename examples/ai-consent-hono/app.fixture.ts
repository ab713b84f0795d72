import { type Handler, Hono, type MiddlewareHandler } from 'hono'

/** A site that serves every path, for tests. */
export function appOf(headers: MiddlewareHandler, robots: Handler): Hono {
  const app = new Hono()
  app.get('/robots.txt', robots)
  app.use(headers)
  app.get('*', (c) => c.text('the picture'))
  return app
}
