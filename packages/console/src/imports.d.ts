/** Vite links what is imported so. */
declare module '*.css' {}
/** The address of a worker that Vite bundles by itself. */
declare module '*?worker&url' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: it is what Vite makes
  export default path
}
