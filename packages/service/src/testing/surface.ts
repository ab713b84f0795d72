import type { ApiDocument } from '../openapi/document.ts'

/** Every `METHOD /template` of a document. HEAD stands beside its GET, which serves it. */
export function operationsOf(document: ApiDocument): { route: string; operation: Record<string, unknown> }[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
}

/** Every route that an app serves and every one that its document lists, to be compared. */
export function surface(
  app: { readonly routes: readonly { readonly method: string; readonly path: string }[] },
  document: ApiDocument,
): { live: string[]; documented: string[] } {
  const live = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  const documented = operationsOf(document).map(({ route }) => route.replace(/^HEAD /, 'GET '))
  return { live: [...new Set(live)].toSorted(), documented: [...new Set(documented)].toSorted() }
}
