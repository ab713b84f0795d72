import type { RawConfig } from '../operations/worker-deployment.ts'

/** The names under which a Worker has what it is bound to, but for its limits. */
export function bindingsOf(
  config: RawConfig & { readonly send_email?: readonly { readonly name: string }[] },
): string[] {
  const { services = [], d1_databases = [], kv_namespaces = [], r2_buckets = [], vectorize = [] } = config
  const { durable_objects, send_email = [], assets } = config
  return [
    ...[...services, ...d1_databases, ...kv_namespaces, ...r2_buckets, ...vectorize].map(({ binding }) => binding),
    ...[...(durable_objects?.bindings ?? []), ...send_email].map(({ name }) => name),
    ...(assets?.binding === undefined ? [] : [assets.binding]),
  ]
}
