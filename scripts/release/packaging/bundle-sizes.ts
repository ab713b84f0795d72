import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const USES = [
  ['only verify a signature', "export { mlDsa65 } from '@svc/client/functions'"],
  ['only fingerprints', "export { fingerprintText } from '@svc/fingerprint'"],
  ['only image fingerprints', "export { fingerprintImage } from '@svc/fingerprint/images'"],
  ['only images of the SDK', "export * from '@svc/client/images'; export * from '@svc/client/browser-images'"],
  ['only sign-in', "export { SignIn } from '@svc/client/sign-in'"],
  [
    'everything',
    "export * as client from '@svc/client'; export * as verify from '@svc/client/verify'; export * as functions from '@svc/client/functions'; export * as audit from '@svc/client/audit'; export * as browser from '@svc/client/browser'; export * as signIn from '@svc/client/sign-in'; export * as form from '@svc/client/contact-form'; export * as text from '@svc/fingerprint'",
  ],
] as const

export interface BundleSize {
  readonly use: (typeof USES)[number][0]
  /** Minified and compressed. */
  readonly kib: number
}

/** The size of a page's bundle for one use of the packages installed in `project`. */
export function bundleSizes(project: string): Promise<BundleSize[]> {
  return Promise.all(
    USES.map(async ([use, source]) => {
      const entry = join(project, `use-${use.replaceAll(' ', '-')}.js`)
      const result = await build({
        root: project,
        configFile: false,
        logLevel: 'error',
        plugins: [
          {
            name: 'entry',
            resolveId: (id) => (id === entry ? id : null),
            load: (id) => (id === entry ? source : null),
          },
        ],
        build: { write: false, target: 'es2024', minify: true, lib: { entry, formats: ['es'] } },
      })
      const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) => ('output' in one ? one.output : []))
      const code = outputs.flatMap((output) => (output.type === 'chunk' ? [output.code] : []))
      return { use, kib: code.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).byteLength, 0) / 1024 }
    }),
  )
}

export function tableOf(sizes: readonly BundleSize[]): string {
  return sizes.map(({ use, kib }) => `${use.padEnd(26)} ${kib.toFixed(1).padStart(6)} KiB\n`).join('')
}
