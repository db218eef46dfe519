//! A map of a handful of things: sockets, lines, ports. A tree of each kind would be six kilobytes of
//! program.

/// Found by looking at all of them.
pub(super) struct Few<K, V>(Vec<(K, V)>);

impl<K, V> Default for Few<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq, V> Few<K, V> {
    /// In place of what had that key.
    pub(super) fn insert(&mut self, key: K, value: V) {
        self.remove(&key);
        self.0.push((key, value));
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        let found = self.0.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value)
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let place = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.swap_remove(place).1)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = V> {
        self.0.into_iter().map(|(_, value)| value)
    }
}
