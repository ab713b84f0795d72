/** What the Vitest configurations say about their runtime. */
export interface RuntimeFacts {
  readonly hasNativeSha3: boolean
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly hasNativeSha3: RuntimeFacts['hasNativeSha3']
  }
}
