/** What the SDK exports; for their types only. */
type Entries = typeof import('@svc/client') &
  typeof import('@svc/client/backup') &
  typeof import('@svc/client/functions') &
  typeof import('@svc/client/identity') &
  typeof import('@svc/client/recovery-words') &
  typeof import('@svc/client/sign-in') &
  typeof import('@svc/client/signers') &
  typeof import('@svc/client/text') &
  typeof import('@svc/client/verify')

type ErrorOf<Value> = Value extends new (...given: never[]) => infer Made ? (Made extends Error ? Made : never) : never

/** Every error of the SDK by its name, which is that of its class. */
export type SdkErrors = {
  readonly [Name in keyof Entries as ErrorOf<Entries[Name]> extends never ? never : Name]-?: ErrorOf<Entries[Name]>
}
