//! Records that give documents an identity beyond their path.

pub use crate::corpus::Entity;

/// One document to index: a file, an entity, or a file that an entity stands for.
#[derive(Debug)]
pub(super) struct Input<'a> {
    pub(super) path: &'a str,
    pub(super) entity: Option<&'a Entity>,
    /// The number of the file in the source; none for an entity with its own text or without a file.
    pub(super) file: Option<usize>,
}

impl<'a> Input<'a> {
    pub(super) fn id(&self) -> &'a str {
        self.entity.map_or(self.path, |entity| &entity.id)
    }
}

/// Files and entities as one list of documents, by path, then id: the order of the source is forgotten here.
///
/// Of several entities that stand for one file the first by id names it; the others are documents of their own, with
/// nothing but a title.
pub(super) fn inputs<'a>(paths: impl Iterator<Item = &'a str>, entities: &'a [Entity]) -> Vec<Input<'a>> {
    let mut inputs: Vec<Input<'a>> =
        paths.enumerate().map(|(number, path)| Input { path, entity: None, file: Some(number) }).collect();
    inputs.sort_unstable_by_key(|input| input.path);
    let mut entities: Vec<&Entity> = entities.iter().collect();
    entities.sort_by_key(|entity| (entity.path.as_str(), entity.id.as_str()));
    let files = inputs.len();
    for entity in entities {
        let file = inputs[..files].binary_search_by_key(&entity.path.as_str(), |input| input.path);
        match file {
            Ok(at) if entity.text.is_none() && inputs[at].entity.is_none() => {
                inputs[at].entity = Some(entity);
            }
            _ => inputs.push(Input { path: &entity.path, entity: Some(entity), file: None }),
        }
    }
    inputs.sort_by_key(|input| (input.path, input.id()));
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(id: &str, path: &str, text: Option<&str>) -> Entity {
        Entity { id: id.into(), path: path.into(), text: text.map(Into::into), ..Entity::default() }
    }

    #[test]
    fn an_entity_names_its_file_and_one_with_text_stands_alone() {
        let entities =
            [entity("page", "b.md", Some("own")), entity("file-b", "b.md", None), entity("dir", "src", None)];
        let inputs = inputs(["b.md", "a.md"].into_iter(), &entities);
        let seen: Vec<_> = inputs.iter().map(|input| (input.path, input.id(), input.file)).collect();
        assert_eq!(
            seen,
            [
                ("a.md", "a.md", Some(1)),
                ("b.md", "file-b", Some(0)),
                ("b.md", "page", None),
                ("src", "dir", None)
            ]
        );
    }
}
