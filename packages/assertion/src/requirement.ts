import type { Capability } from '#protocol/base/device'

/**
 * The audience of an assertion. Each operation declares the audiences it accepts. Provenance and pay share one, and
 * therefore their nonces: an assertion spent at one is spent at the other.
 */
export type Audience = 'chain' | 'core' | 'genesis' | 'notes' | 'identity' | 'console' | 'keys' | 'provenance'

/** What a route requires of a device: a capability, `any` for any active device, or `root` for the root key only. */
export type RouteCapability = Capability | 'any' | 'root'
