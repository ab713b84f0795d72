/** The parts that the test uses; the packages have no types. */
declare module 'jsonld' {
  interface Loaded {
    readonly document: unknown
    readonly documentUrl: string
  }
  interface Options {
    readonly safe: boolean
    readonly format: 'application/n-quads'
    readonly documentLoader: (url: string) => Promise<Loaded>
  }
  export const canonize: (document: unknown, options: Options) => Promise<string>
}
declare module 'did-context' {
  export const contexts: ReadonlyMap<string, unknown>
}
declare module '@digitalbazaar/multikey-context' {
  export const contexts: ReadonlyMap<string, unknown>
}
